internal import Encoding
internal import Gateway
internal import Identity
internal import JSON
internal import Providers

/// A token that is accepted without verification, as in Firebase's emulator.
enum UnsignedToken {
    /// Claims as bare JSON.
    case bare([UInt8])
    /// In a JWT of `alg` `none` with an empty signature (RFC 7518 §3.6).
    case jwt([UInt8])

    /// - Returns: `nil` unless the token is bare JSON or an unsigned JWT.
    init?(_ token: String) {
        if token.hasPrefix("{") {
            self = .bare(Array(token.utf8))
            return
        }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].isEmpty, let header = Base64URL.decode(String(parts[0])),
            // If the header cannot be decoded, the token is not an unsigned JWT.
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

    /// Ignores the signature of Apple's or Google's token.
    ///
    /// - Returns: `nil` unless the issuer is Apple or Google and the key ID is not one that a simulator has generated.
    init?(strippingSignatureOf token: String, of provider: ProviderID, isSimulated: (_ keyID: String) -> Bool) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[2].isEmpty, let header = Base64URL.decode(String(parts[0])),
            // If the header cannot be decoded, the token is neither Apple's nor Google's.
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
