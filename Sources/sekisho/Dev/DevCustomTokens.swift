internal import Identity
internal import JOSE
internal import JSONText
internal import Tokens

extension CustomTokens {
    /// Takes what clients of Firebase's emulator send: claims as bare JSON, and JWTs that nobody has signed. A token
    /// that says it is signed is for `signed` to judge. `serve` has no way to reach this.
    static func unsigned(orElse signed: CustomTokens) -> CustomTokens {
        CustomTokens { token, project in
            if token.hasPrefix("{") { return try CustomTokenPayload(Array(token.utf8)).claim() }
            guard let payload = unsignedPayload(of: token) else { return try await signed.read(token, project) }
            let claims = try CustomTokenPayload(payload)
            try claims.requireAudience()
            return try claims.claim()
        }
    }

    private struct Header: Decodable {
        let alg: String
    }

    /// - Returns: `nil` for anything but `alg` `none` and an empty signature (RFC 7518 §3.6).
    private static func unsignedPayload(of token: String) -> [UInt8]? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].isEmpty, let header = Base64URL.decode(String(parts[0])),
            // A header that cannot be read is not one of these.
            let algorithm = try? StrictJSON.decode(Header.self, from: header).alg, algorithm == "none"
        else { return nil }
        return Base64URL.decode(String(parts[1]))
    }
}
