internal import Crypto
internal import Identity
internal import JOSE

/// An identity token to be judged, and what project and app have to say about it.
struct IDTokenInput: Sendable {
    let idToken: String
    /// As the app made it.
    let rawNonce: String?
    let nonceIsOurs: Bool
    let name: PersonName?
    let settings: ProviderSettings
    let app: App
    let policy: Policy
    let now: Instant

    /// An app that names its own client ids takes tokens for those alone, and be they none.
    var audiences: [String] { app.settings.clientIDs[settings.provider.rawValue] ?? settings.clientIDs }

    /// Of the app and of the whole project.
    var authorizedParties: [String] {
        audiences + settings.clientIDs.filter { !audiences.containsExactly($0) }
    }
}

/// A token whose signature, issuer, audience and times are as they should be.
struct VerifiedToken: Sendable {
    let claims: IdentityTokenClaims
    /// The claims as they came.
    let json: String
    let audience: String
    let expiresAt: Instant?
}

/// Believes the identity tokens of one provider, or says why not. The same steps for every provider; they differ in
/// ``TokenRules`` and in what they make of the claims.
///
/// Nothing in a token decides where its keys come from: neither `iss` nor `jku`, `jwk`, `x5u` or `x5c`.
struct OIDCVerifier: Sendable {
    let provider: ProviderID
    let keys: JWKSCache

    /// - Throws: ``ProviderRefusal``, or ``ProviderUnreachable`` where the provider's keys cannot be had.
    func believed(
        _ compact: String, signedByKeysAt address: DocumentAddress, by rules: TokenRules, at now: Instant
    ) async throws -> VerifiedToken {
        let token = try unverified(compact, by: rules)
        let key = try await keys.key(for: token, at: address, of: provider, needsKeyID: rules.needsKeyID)
        let payload = try payload(of: token, verifiedWith: key)
        let claims = try IdentityTokenClaims(payload)
        try rules.requireIssuer(claims)
        let audience = try rules.audience(claims)
        try rules.requireAuthorizedParty(claims)
        let expiresAt = try rules.requireTimely(claims, at: now)
        return VerifiedToken(
            claims: claims, json: String(decoding: payload, as: UTF8.self), audience: audience, expiresAt: expiresAt)
    }

    private func unverified(_ compact: String, by rules: TokenRules) throws(ProviderRefusal) -> UnverifiedJWS {
        let token: UnverifiedJWS
        do {
            token = try UnverifiedJWS(parsing: compact)
        } catch {
            throw .tokenNotBelieved(IdentityTokenFault(error))
        }
        // Says that it is something else: `at+jwt`, `logout+jwt` (RFC 8725 §3.11).
        guard token.type?.contains("+") != true else { throw .claim("typ") }
        guard rules.algorithms.contains(token.algorithm) else { throw .tokenNotBelieved(.algorithmNotAllowed) }
        guard !rules.needsKeyID || token.keyID?.isEmpty == false else { throw .tokenNotBelieved(.keyIDMissing) }
        return token
    }

    private func payload(of token: UnverifiedJWS, verifiedWith key: PublicKey) throws(ProviderRefusal) -> [UInt8] {
        do {
            return try token.payload(verifiedWith: key)
        } catch {
            throw .tokenNotBelieved(IdentityTokenFault(error))
        }
    }
}

extension VerifiedToken {
    /// For identity tokens alone: a key also signs other things that name somebody, logout tokens and notifications
    /// among them, which are told apart by `events` (RFC 8417 §2.2).
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
