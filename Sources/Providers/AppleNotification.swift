internal import Crypto
internal import Encoding
public import Identity
internal import JSON

/// Verifies Apple's server-to-server notifications, because any client can send a forged notification.
public struct AppleNotifications: Sendable {
    private let apple: IdentityProvider
    private let keyCache: JWKSCache

    public init(of providers: ProviderList = .live, keyCache: JWKSCache) {
        apple = providers.apple
        self.keyCache = keyCache
    }

    private func tokenVerifier(for clientIDs: [String]) -> OIDCVerifier {
        OIDCVerifier(
            provider: .apple, keyCache: keyCache, keysAddress: apple.endpoints.keysAddress,
            issuers: apple.value.issuers,
            audiences: clientIDs, authorizedParties: clientIDs, needsExpiry: false)
    }

    /// Verifies a notification for known audiences.
    ///
    /// - Parameters:
    ///   - body: `{"payload": token}`, or the token itself.
    ///   - clientIDs: the accepted audiences.
    /// - Throws: ``ProviderRefusal/invalidToken(_:)``, or ``ProviderUnreachable``.
    public func verify(_ body: String, for clientIDs: [String], at now: Instant) async throws -> AppleNotification {
        let token = try await tokenVerifier(for: clientIDs).verify(Self.token(in: body), at: now)
        return try AppleNotification(token.claims, for: token.audience)
    }

    /// A verifier that checks everything except the value of the audience, which the caller checks. A forged
    /// notification is thus rejected before the database is queried for the audience.
    public var verifier: AppleNotificationVerifier {
        AppleNotificationVerifier { payload, now in
            let verifier = tokenVerifier(for: [])
            let claims = try IdentityTokenClaims(try await verifier.payload(of: payload))
            try verifier.requireIssuer(claims)
            _ = try verifier.requireTimely(claims, at: now)
            let audiences = try claims.audiences()
            guard audiences.count == 1 else { throw ProviderRefusal.claim("aud") }
            return try AppleNotification(claims, for: audiences[0])
        }
    }

    /// Returns the token in a body, which is `{"payload": token}` or the token itself.
    static func token(in body: String) throws(ProviderRefusal) -> String {
        let words = body.split(whereSeparator: \.isWhitespace)
        if words.count == 1, words[0].first != "{" { return String(words[0]) }
        do {
            return try StrictJSON.decode(Envelope.self, from: Array(body.utf8)).payload
        } catch {
            throw .invalidToken(.malformed)
        }
    }

    private struct Envelope: Decodable {
        let payload: String
    }
}

extension AppleNotification {
    /// The largest value of `event_time` that is read as seconds; larger values are milliseconds. Apple documents
    /// seconds, but sends milliseconds.
    private static let latestSecond: Double = 1e11

    init(_ claims: IdentityTokenClaims, for audience: String) throws(ProviderRefusal) {
        guard let id = claims.text("jti"), OIDCVerifier.isValidSubject(id) else { throw .claim("jti") }
        guard let issuedAt = try claims.time("iat") else { throw .claim("iat") }
        let event = try Self.event(in: claims)
        guard let type = event.text("type") else { throw .claim("events") }
        let email = event.text("email").flatMap(EmailAddress.init)
        self.init(
            id: id, idHash: Digest.sha256(Array("ID of a notification of Apple\n\(id)".utf8)), audience: audience,
            kind: Kind(type), subject: try OIDCVerifier.subject(event), issuedAt: issuedAt,
            occurredAt: Self.time(event["event_time"]), email: email, isPrivateEmail: Apple.isPrivate(email, event))
    }

    /// Returns the event of a notification. Apple documents an object, but sends a string that contains JSON.
    private static func event(in claims: IdentityTokenClaims) throws(ProviderRefusal) -> IdentityTokenClaims {
        switch claims["events"] {
        case .string(let json):
            do {
                return try IdentityTokenClaims(Array(json.utf8))
            } catch {
                throw .claim("events")
            }
        case .object(let members): return IdentityTokenClaims(members)
        default: throw .claim("events")
        }
    }

    /// - Returns: `nil` unless `value` is a number of at least 0 and less than 10^14.
    static func time(_ value: JSONValue?) -> Instant? {
        guard let number = value?.double, (0..<1e14).contains(number) else { return nil }
        return number > latestSecond
            ? Instant(microseconds: Int64(number) * 1000) : Instant(seconds: Int64(number))
    }
}

extension AppleNotification.Kind {
    public init(_ type: String) {
        self =
            switch type {
            case "email-disabled": .emailDisabled
            case "email-enabled": .emailEnabled
            case "consent-revoked": .consentRevoked
            case "account-delete", "account-deleted": .accountDeleted
            default: .other(type)
            }
    }
}
