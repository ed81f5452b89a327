internal import Crypto
internal import Encoding
public import Identity
internal import JSON

/// Verifies Google's security event tokens (RFC 8417, Cross-Account Protection).
public struct GoogleSignals: Sendable {
    private let google: IdentityProvider
    private let keyCache: JWKSCache
    /// Unlike that of ID tokens, it ends with a slash.
    private let issuer: String

    public init(of providers: ProviderList = .live, keyCache: JWKSCache) {
        google = providers.byID[.google] ?? .google
        self.keyCache = keyCache
        let issuer = google.value.issuers.first ?? ""
        self.issuer = issuer.endsExactly(with: "/") ? issuer : issuer + "/"
    }

    public var verifier: GoogleSignalVerifier {
        GoogleSignalVerifier { compact, now in
            let verifier = OIDCVerifier(
                provider: .google, keyCache: keyCache, keysAddress: google.endpoints.keysAddress, issuers: [issuer],
                acceptedTypes: ["secevent+jwt"], needsExpiry: false)
            do {
                let claims = try IdentityTokenClaims(try await verifier.payload(of: compact))
                try verifier.requireIssuer(claims)
                return try GoogleSecurityToken(claims, issuers: google.value.issuers + [issuer], at: now)
            } catch let refusal as ProviderRefusal {
                throw GoogleSignalRefusal(refusal)
            }
        }
    }
}

extension GoogleSecurityToken {
    /// - Parameter issuers: the issuers of the users that the gateway knows.
    fileprivate init(_ claims: IdentityTokenClaims, issuers: [String], at now: Instant) throws(ProviderRefusal) {
        guard let id = claims.text("jti"), OIDCVerifier.isValidSubject(id) else { throw .claim("jti") }
        guard let issuedAt = try claims.time("iat"), issuedAt <= now + OIDCVerifier.leeway,
            issuedAt > now - Self.acceptedAge
        else { throw .claim("iat") }
        guard case .object(let events) = claims["events"], !events.isEmpty, events.count <= Self.signalLimit else {
            throw .claim("events")
        }
        let audiences = try claims.audiences().filter { !$0.isEmpty }
        guard !audiences.isEmpty, audiences.count <= 100 else { throw .claim("aud") }
        self.init(
            idHash: Digest.sha256(Array("ID of a security event token of Google\n\(id)".utf8)), audiences: audiences,
            issuedAt: issuedAt,
            signals: events.sorted { $0.key < $1.key }.map { type, event in
                GoogleSignal(type: type.rawValue, event, issuers: issuers)
            })
    }
}

extension GoogleSignal {
    private static let prefix = "https://schemas.openid.net/secevent/"

    fileprivate init(type: String, _ event: JSONValue, issuers: [String]) {
        let members: JSONObject = if case .object(let members) = event { members } else { [:] }
        let claims = IdentityTokenClaims(members)
        let name = type.beginsExactly(with: Self.prefix) ? String(type.dropFirst(Self.prefix.count)) : ""
        let kind: Kind =
            switch name {
            case "risc/event-type/sessions-revoked": .sessionsRevoked
            case "oauth/event-type/tokens-revoked": .tokensRevoked
            case "oauth/event-type/token-revoked": .tokenRevoked
            case "risc/event-type/account-disabled": .accountDisabled(reason: claims.text("reason"))
            case "risc/event-type/account-enabled": .accountEnabled
            case "risc/event-type/account-credential-change-required": .credentialChangeRequired
            case "risc/event-type/verification": .verification(state: claims.text("state"))
            default: .unknown
            }
        self.init(
            kind, type: name.split(separator: "/").last.map(String.init) ?? "unknown",
            subject: Self.subject(in: claims, issuers: issuers))
    }

    /// - Returns: `nil` unless the event names a user by an issuer that the gateway knows.
    private static func subject(in claims: IdentityTokenClaims, issuers: [String]) -> String? {
        guard case .object(let members) = claims["subject"] else { return nil }
        let subject = IdentityTokenClaims(members)
        let types = ["iss-sub", "iss_sub", "id_token_claims"]
        guard let type = subject.text("subject_type"), types.containsExactly(type),
            let issuer = subject.text("iss"), issuers.containsExactly(issuer)
        else { return nil }
        // No account has an identity whose subject is not valid.
        return try? OIDCVerifier.subject(subject)
    }
}
