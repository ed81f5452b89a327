internal import Crypto
internal import Identity
internal import JSON

/// The validation rules for the tokens of one provider (OpenID Connect Core 1.0 §3.1.3.7, RFC 8725).
struct TokenRules: Sendable {
    /// The tolerance for clocks that differ.
    static let leeway: Duration = .seconds(60)
    /// OpenID Connect Core 1.0 §2; in characters.
    static let subjectLengths = 1...255

    /// `iss` is exactly one of these.
    let issuers: [String]
    /// The accepted audiences. If there are none, no token is accepted.
    let audiences: [String]
    /// The accepted values of `azp`.
    let authorizedParties: [String]
    var algorithms: Set<SignatureAlgorithm> = [.rs256]
    /// If `false`, a token needs no `kid` while the provider has only one key.
    var needsKeyID = true
    var needsExpiry = true

    func requireIssuer(_ claims: IdentityTokenClaims) throws(ProviderRefusal) {
        guard let issuer = claims.text("iss") else { throw .claim("iss") }
        guard issuers.containsExactly(issuer) else {
            throw .invalidToken(.issuer(expected: issuers, seen: issuer))
        }
    }

    /// Accepts a token with several audiences if all of them are accepted, or if `azp` is.
    ///
    /// - Returns: the first accepted audience.
    func audience(_ claims: IdentityTokenClaims) throws(ProviderRefusal) -> String {
        let seen = try claims.audiences()
        let ours = seen.filter { !$0.isEmpty && audiences.containsExactly($0) }
        let askedFor = claims.text("azp").map(authorizedParties.containsExactly(_:)) ?? false
        guard let audience = ours.first, ours.count == seen.count || askedFor else {
            throw .invalidToken(.audience(expected: audiences, seen: seen))
        }
        return audience
    }

    func requireAuthorizedParty(_ claims: IdentityTokenClaims) throws(ProviderRefusal) {
        guard let value = claims["azp"] else { return }
        guard case .string(let party) = value else { throw .claim("azp") }
        guard authorizedParties.containsExactly(party) else {
            throw .invalidToken(.authorizedParty(expected: authorizedParties, seen: party))
        }
    }

    /// RFC 7519 §4.1.4 to §4.1.6.
    ///
    /// - Returns: `exp`.
    func requireTimely(_ claims: IdentityTokenClaims, at now: Instant) throws(ProviderRefusal) -> Instant? {
        let expiresAt = try claims.time("exp")
        guard expiresAt != nil || !needsExpiry else { throw .claim("exp") }
        guard let issuedAt = try claims.time("iat") else { throw .claim("iat") }
        if let expiresAt, now >= expiresAt + Self.leeway { throw .invalidToken(.expired(at: expiresAt)) }
        let validFrom = max(issuedAt, try claims.time("nbf") ?? issuedAt)
        guard validFrom <= now + Self.leeway else { throw .invalidToken(.issuedInTheFuture(at: validFrom)) }
        return expiresAt
    }

    static func subject(_ claims: IdentityTokenClaims) throws(ProviderRefusal) -> String {
        guard let subject = claims.text("sub"), canBeSubject(subject) else { throw .claim("sub") }
        return subject
    }

    static func canBeSubject(_ text: String) -> Bool {
        subjectLengths.contains(text.unicodeScalars.count)
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
