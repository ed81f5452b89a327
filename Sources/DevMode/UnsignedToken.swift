internal import Encoding
internal import Gateway
internal import Identity
internal import JSON
internal import Providers

/// An unsigned token, as clients of Firebase's emulator send them.
enum UnsignedToken {
    /// Claims as bare JSON.
    case bare([UInt8])
    /// In a JWT of `alg` `none` with an empty signature (RFC 7518 §3.6).
    case jwt([UInt8])

    /// - Returns: `nil` for everything else, above all for tokens with a signature.
    init?(_ token: String) {
        if token.hasPrefix("{") {
            self = .bare(Array(token.utf8))
            return
        }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].isEmpty, let header = Base64URL.decode(String(parts[0])),
            // A header that cannot be decoded is not that of an unsigned token.
            let algorithm = try? StrictJSON.decode(Header.self, from: header).alg, algorithm == "none",
            let payload = Base64URL.decode(String(parts[1]))
        else { return nil }
        self = .jwt(payload)
    }

    /// The claims, which may not be valid JSON.
    var claims: [UInt8] {
        switch self {
        case .bare(let claims), .jwt(let claims): claims
        }
    }

    private struct Header: Decodable {
        let alg: String
        let kid: String?
    }

    /// - Returns: `nil` unless the token names Apple or Google as its issuer and a key that no simulator ever had.
    init?(genuine token: String, of provider: ProviderID, isSimulated: (_ keyID: String) -> Bool) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[2].isEmpty, let header = Base64URL.decode(String(parts[0])),
            // A header that cannot be decoded is not that of a genuine token.
            let keyID = try? StrictJSON.decode(Header.self, from: header).kid, !isSimulated(keyID),
            let payload = Base64URL.decode(String(parts[1])),
            let issuer = try? StrictJSON.decode(Issuer.self, from: payload).iss,
            Self.issuers(of: provider).contains(issuer)
        else { return nil }
        self = .jwt(payload)
    }

    private static func issuers(of provider: ProviderID) -> [String] {
        switch provider {
        case .apple: ProviderEndpoints.live.apple.issuers
        case .google: ProviderEndpoints.live.google.issuers
        default: []
        }
    }

    private struct Issuer: Decodable {
        let iss: String
    }
}
