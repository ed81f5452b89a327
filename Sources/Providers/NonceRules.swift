internal import Crypto
internal import Encoding
internal import Identity
internal import JSON

/// Checks the nonce of a token against the nonce of the request.
enum NonceRules {
    /// The valid lengths of the nonce of a request, in bytes.
    static let lengths = 1...1024

    /// Requires that the token contains the SHA-256 of the nonce in lower-case hexadecimal, as Apple's clients send it.
    /// Either both sides have a nonce, or neither has one.
    ///
    /// - Returns: the claim of the token.
    static func apple(
        _ claims: IdentityTokenClaims, raw: String?, acceptsUnhashed: Bool, isRequired: Bool,
        mustBeInToken: Bool = false
    ) throws(ProviderRefusal) -> String? {
        try requireLength(raw)
        guard let claim = try nonceClaim(of: claims) else {
            guard raw == nil else {
                // Old devices state that they do not support nonces.
                guard !mustBeInToken, claims.isFalse("nonce_supported") else { throw .nonce(.missingInToken) }
                return nil
            }
            guard !isRequired else { throw .nonce(.missing) }
            return nil
        }
        guard let raw else { throw .nonce(.missingInRequest) }
        guard isEqual(claim, hashed(raw)) || (acceptsUnhashed && isEqual(claim, raw)) else {
            throw .nonce(.doesNotMatch(seen: form(of: claim, raw: raw)))
        }
        return claim
    }

    /// Requires that the token contains the nonce, hashed or not, if the request has one. If only the token
    /// has a nonce, it is ignored, because some SDKs add a nonce that the app does not know.
    static func openID(_ claims: IdentityTokenClaims, raw: String?) throws(ProviderRefusal) {
        guard let raw else { return }
        try requireLength(raw)
        guard let claim = try nonceClaim(of: claims) else { throw .nonce(.missingInToken) }
        guard isEqual(claim, raw) || isEqual(claim, hashed(raw)) else {
            throw .nonce(.doesNotMatch(seen: form(of: claim, raw: raw)))
        }
    }

    private static func nonceClaim(of claims: IdentityTokenClaims) throws(ProviderRefusal) -> String? {
        guard let value = claims["nonce"] else { return nil }
        guard case .string(let nonce) = value else { throw .claim("nonce") }
        return nonce
    }

    private static func requireLength(_ raw: String?) throws(ProviderRefusal) {
        guard raw.map({ lengths.contains($0.utf8.count) }) ?? true else { throw .nonce(.invalidLength) }
    }

    private static func isEqual(_ claim: String, _ expected: String) -> Bool {
        constantTimeEquals(Array(claim.utf8), Array(expected.utf8))
    }

    private static func hashed(_ raw: String) -> String { Hexadecimal.encode(Digest.sha256(Array(raw.utf8))) }

    static func form(of claim: String, raw: String) -> NonceFault.Form {
        let bytes = claim.utf8
        return if isEqual(claim, raw) {
            .unhashed
        } else if bytes.count == 64, bytes.allSatisfy({ Hexadecimal.value(of: $0) != nil }) {
            .sha256Hex
        } else if bytes.count == 43, bytes.allSatisfy(Base64URL.contains) {
            .sha256Base64URL
        } else {
            .other
        }
    }
}
