internal import Encoding
internal import Gateway
internal import Identity
internal import JSON

/// The claims of a token that is accepted without verification of a signature, as in Firebase's emulator.
enum UnsignedToken {
    /// The claims as bare JSON.
    case bare([UInt8])
    /// The payload of a JWT: one with `alg` `none` and an empty signature (RFC 7518 §3.6), or one whose signature is
    /// ignored.
    case jwt([UInt8])

    /// - Returns: `nil` unless the token is bare JSON or an unsigned JWT.
    init?(_ token: String) {
        if token.hasPrefix("{") {
            self = .bare(Array(token.utf8))
            return
        }
        guard let jwt = UnverifiedJWT(token), !jwt.isSigned, jwt.header.alg == "none" else { return nil }
        self = .jwt(jwt.payload)
    }

    /// The claims, which may not be valid JSON.
    var claims: [UInt8] {
        switch self {
        case .bare(let claims), .jwt(let claims): claims
        }
    }

    /// Parses a signed token with the issuer of a built-in provider, and ignores its signature.
    ///
    /// - Returns: `nil` unless the issuer is the provider's, and the token names a key that no simulator has issued.
    init?(strippingSignatureOf token: String, of provider: Provider, isSimulatorKey: (_ keyID: String) -> Bool) {
        guard let jwt = UnverifiedJWT(token), jwt.isSigned, let keyID = jwt.header.kid, !isSimulatorKey(keyID),
            let issuer = jwt.issuer, provider.issuers.contains(issuer)
        else { return nil }
        self = .jwt(jwt.payload)
    }

    /// Parses a custom token. Ignores the signature if the issuer is the address of a Google service account, which no
    /// service key of the gateway has as its ID.
    ///
    /// - Returns: `nil` unless the token is bare JSON, a JWT with an empty signature and any algorithm, or a JWT of a
    ///   Google service account. Firebase's Admin SDK for Java names RS256 in tokens that it does not sign.
    init?(custom token: String) {
        if let unsigned = UnsignedToken(token) {
            self = unsigned
            return
        }
        guard let jwt = UnverifiedJWT(token), !jwt.isSigned || jwt.isOfServiceAccount else { return nil }
        self = .jwt(jwt.payload)
    }
}

/// The parts of a JWT, whose signature is not checked.
private struct UnverifiedJWT {
    struct Header: Decodable {
        let alg: String
        let kid: String?
    }

    private struct Issuer: Decodable {
        let iss: String
    }

    let header: Header
    let payload: [UInt8]
    let isSigned: Bool

    /// - Returns: `nil` unless the token has three parts and a header in JSON.
    init?(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(String(parts[0])),
            let payload = Base64URL.decode(String(parts[1])),
            // The reason why the header cannot be decoded does not matter.
            let decoded = try? StrictJSON.decode(Header.self, from: header)
        else { return nil }
        self.header = decoded
        self.payload = payload
        isSigned = !parts[2].isEmpty
    }

    /// Whether the issuer is the address of a Google service account.
    var isOfServiceAccount: Bool {
        guard let issuer else { return false }
        return issuer.contains("@") && issuer.utf8.reversed().starts(with: ".gserviceaccount.com".utf8.reversed())
    }

    /// The claim `iss`; `nil` if it is absent or the claims cannot be decoded.
    var issuer: String? { try? StrictJSON.decode(Issuer.self, from: payload).iss }
}
