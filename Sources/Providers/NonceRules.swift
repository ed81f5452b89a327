internal import Crypto
internal import Encoding
internal import Identity
internal import JSON

/// How the nonce that an app brings and the one in its token have to agree.
enum NonceRules {
    /// Of the app's, in bytes.
    static let lengths = 1...1024

    /// Apple's clients put the SHA-256 of a nonce into the request, in lower-case hexadecimal, and Apple hands it back
    /// as it is. Both sides have one, or neither.
    ///
    /// - Returns: the claim.
    static func apple(
        _ claims: IdentityTokenClaims, raw: String?, takesUnhashed: Bool, isRequired: Bool
    ) throws(ProviderRefusal) -> String? {
        try requireLength(raw)
        guard let claim = try claimed(in: claims) else {
            guard raw == nil else {
                // Old devices say that they know no nonces.
                guard claims.isFalse("nonce_supported") else { throw .nonce(.missingInToken) }
                return nil
            }
            guard !isRequired else { throw .nonce(.missing) }
            return nil
        }
        guard let raw else { throw .nonce(.missingInRequest) }
        guard isEqual(claim, hashed(raw)) || (takesUnhashed && isEqual(claim, raw)) else {
            throw .nonce(.doesNotMatch(seen: form(of: claim, raw: raw)))
        }
        return claim
    }

    /// Other providers hand back what the app sent, hashed or not. Some of their SDKs put in nonces that the app never
    /// sees, so a token's nonce counts only if the app brings one.
    static func openID(_ claims: IdentityTokenClaims, raw: String?) throws(ProviderRefusal) {
        guard let raw else { return }
        try requireLength(raw)
        guard let claim = try claimed(in: claims) else { throw .nonce(.missingInToken) }
        guard isEqual(claim, raw) || isEqual(claim, hashed(raw)) else {
            throw .nonce(.doesNotMatch(seen: form(of: claim, raw: raw)))
        }
    }

    private static func claimed(in claims: IdentityTokenClaims) throws(ProviderRefusal) -> String? {
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
        let letters = claim.utf8
        return if isEqual(claim, raw) {
            .unhashed
        } else if letters.count == 64, letters.allSatisfy({ Hexadecimal.value(of: $0) != nil }) {
            .sha256Hex
        } else if letters.count == 43, letters.allSatisfy(Base64URL.contains) {
            .sha256Base64URL
        } else {
            .other
        }
    }
}
