internal import Encoding
internal import Gateway
internal import JSON

/// A token that nobody has signed, as clients of Firebase's emulator send them.
enum UnsignedToken {
    /// Claims and nothing else.
    case bare([UInt8])
    /// In a JWT of `alg` `none` with an empty signature (RFC 7518 §3.6).
    case jwt([UInt8])

    /// - Returns: `nil` for everything else, tokens above all that say that they are signed.
    init?(_ token: String) {
        if token.hasPrefix("{") {
            self = .bare(Array(token.utf8))
            return
        }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].isEmpty, let header = Base64URL.decode(String(parts[0])),
            // A header that cannot be read is not one of these.
            let algorithm = try? StrictJSON.decode(Header.self, from: header).alg, algorithm == "none",
            let payload = Base64URL.decode(String(parts[1]))
        else { return nil }
        self = .jwt(payload)
    }

    /// JSON, as far as anybody knows.
    var claims: [UInt8] {
        switch self {
        case .bare(let claims), .jwt(let claims): claims
        }
    }

    private struct Header: Decodable {
        let alg: String
    }
}
