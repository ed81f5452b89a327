internal import Crypto
internal import Identity
internal import JOSE

/// An unverified identity token with the settings of the project and the app.
struct IDTokenInput: Sendable {
    let idToken: String
    /// The nonce before hashing.
    let rawNonce: String?
    let nonceIsOurs: Bool
    let name: PersonName?
    let settings: ProviderSettings
    let app: App
    let policy: Policy
    let now: Instant

    /// If the app lists its own client IDs, only those are accepted, even if the list is empty.
    var audiences: [String] { app.settings.clientIDs[settings.provider.rawValue] ?? settings.clientIDs }

    /// The client IDs of the app and of the project.
    var authorizedParties: [String] {
        audiences + settings.clientIDs.filter { !audiences.containsExactly($0) }
    }
}

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
