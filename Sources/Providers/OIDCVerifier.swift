internal import Crypto
internal import Identity
internal import JOSE
internal import JSON

/// A token with verified signature, issuer, audience and times.
struct VerifiedToken: Sendable {
    let claims: IdentityTokenClaims
    /// The payload as it was received.
    let json: String
    let audience: String
    let expiresAt: Instant?
}

/// Verifies the identity tokens of one provider. Providers differ in their ``TokenRules`` and in their claims.
///
/// Nothing in a token decides where its keys come from: neither `iss` nor `jku`, `jwk`, `x5u` or `x5c`.
struct OIDCVerifier: Sendable {
    let provider: ProviderID
    let keys: JWKSCache

    /// - Throws: ``ProviderRefusal``, or ``ProviderUnreachable`` if the keys of the provider are not available.
    func verify(
        _ compact: String, signedByKeysAt address: DocumentAddress, by rules: TokenRules, at now: Instant
    ) async throws -> VerifiedToken {
        let payload = try await payload(of: compact, signedByKeysAt: address, by: rules)
        let claims = try IdentityTokenClaims(payload)
        try rules.requireIssuer(claims)
        let audience = try rules.audience(claims)
        try rules.requireAuthorizedParty(claims)
        let expiresAt = try rules.requireTimely(claims, at: now)
        return VerifiedToken(
            claims: claims, json: String(decoding: payload, as: UTF8.self), audience: audience, expiresAt: expiresAt)
    }

    /// The payload of a token whose signature is verified, and nothing else.
    func payload(
        of compact: String, signedByKeysAt address: DocumentAddress, by rules: TokenRules
    ) async throws -> [UInt8] {
        let token = try unverified(compact, by: rules)
        let key = try await keys.key(for: token, at: address, of: provider)
        return try payload(of: token, verifiedWith: key)
    }

    private func unverified(_ compact: String, by rules: TokenRules) throws(ProviderRefusal) -> UnverifiedJWS {
        let token: UnverifiedJWS
        do {
            token = try UnverifiedJWS(parsing: compact)
        } catch {
            throw .invalidToken(IdentityTokenFault(error))
        }
        // Another kind of token names it: `at+jwt`, `logout+jwt` (RFC 8725 §3.11).
        guard token.type?.contains("+") != true else { throw .claim("typ") }
        guard rules.algorithms.contains(token.algorithm) else { throw .invalidToken(.algorithmNotAllowed) }
        guard !rules.needsKeyID || token.keyID?.isEmpty == false else { throw .invalidToken(.keyIDMissing) }
        return token
    }

    private func payload(of token: UnverifiedJWS, verifiedWith key: PublicKey) throws(ProviderRefusal) -> [UInt8] {
        do {
            return try token.payload(verifiedWith: key)
        } catch {
            throw .invalidToken(IdentityTokenFault(error))
        }
    }
}

extension VerifiedToken {
    /// The subject of an identity token.
    ///
    /// - Throws: ``ProviderRefusal`` for logout tokens and notifications, which have the same issuer and key but contain
    ///   `events` (RFC 8417 §2.2).
    func subject() throws(ProviderRefusal) -> String {
        let subject = try TokenRules.subject(claims)
        guard claims["events"] == nil else { throw .claim("events") }
        return subject
    }
}

extension IdentityTokenFault {
    fileprivate init(_ fault: JWSFault) {
        self =
            switch fault {
            case .malformed: .malformed
            case .tooLong: .tooLong
            case .algorithmNotAllowed, .keyDoesNotFit: .algorithmNotAllowed
            case .criticalHeader: .criticalHeader
            case .signatureInvalid: .signatureInvalid
            }
    }
}

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
