/// A verified security event token of Google (Cross-Account Protection, RISC).
public struct GoogleSecurityToken: Hashable, Sendable {
    /// SHA-256 of `jti`. It becomes the replay key, with which each realm applies the token once.
    public let idHash: [UInt8]
    /// `aud`: client IDs of the projects at Google to which the token was sent.
    public let audiences: [String]
    /// `iat`.
    public let issuedAt: Instant
    public let signals: [GoogleSignal]

    public init(idHash: [UInt8], audiences: [String], issuedAt: Instant, signals: [GoogleSignal]) {
        self.idHash = idHash
        self.audiences = audiences
        self.issuedAt = issuedAt
        self.signals = signals
    }

    /// ID tokens from before this time do not sign in again after the end of all sessions. The next whole second,
    /// because tokens state their times in whole seconds.
    public var cutoff: Instant { Instant(seconds: issuedAt.seconds + 1) }

    /// How long replay keys are kept. Google repeats a token only for hours.
    public static let replayKeyLifetime: Duration = .seconds(90 * 86_400)
    /// Older tokens are rejected. Shorter than ``replayKeyLifetime``, because clocks differ.
    public static let acceptedAge: Duration = .seconds(89 * 86_400)
    /// The maximum number of events in a token. Google sends one.
    public static let signalLimit = 8
}

/// What Google reports about a user, or about the connection with the gateway.
public struct GoogleSignal: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case sessionsRevoked
        /// The user, or Google, has revoked all tokens for the app.
        case tokensRevoked
        /// One token for the app was revoked. The gateway stores no tokens of Google.
        case tokenRevoked
        /// - Parameter reason: `hijacking`, `bulk-account` or absent.
        case accountDisabled(reason: String?)
        case accountEnabled
        case credentialChangeRequired
        /// The test that an operator has requested.
        ///
        /// - Parameter state: the text of the request.
        case verification(state: String?)
        case unknown
    }

    public let kind: Kind
    /// The last part of the event's URI, for listeners and metrics.
    public let type: String
    /// Google's ID for the user; `nil` if the event names no user of Google.
    public let subject: String?

    public init(_ kind: Kind, type: String, subject: String?) {
        self.kind = kind
        self.type = type
        self.subject = subject
    }
}

/// The effect of a signal on an account that has the user's identity.
public enum GoogleSignalEffect: String, Hashable, Sendable, CaseIterable {
    /// Every session of the account ends.
    case sessionsEnded
    /// The identity can no longer sign in, and its address gets neither password resets nor sign-in links.
    case identitySuspended
    case identityRestored
}

extension GoogleSignal {
    /// The effects on an account with the identity, in the order in which they apply.
    public var effects: [GoogleSignalEffect] {
        switch kind {
        case .sessionsRevoked, .tokensRevoked: [.sessionsEnded]
        case .accountDisabled("bulk-account"?): []
        // An attacker may have opened or used the sessions.
        case .accountDisabled("hijacking"?): [.identitySuspended, .sessionsEnded]
        case .accountDisabled: [.identitySuspended]
        case .accountEnabled: [.identityRestored]
        case .tokenRevoked, .credentialChangeRequired, .verification, .unknown: []
        }
    }

    /// Whether listeners get an event about the account. A type that the gateway does not know has none.
    var isReported: Bool { if case .unknown = kind { false } else { true } }

    /// The events about an account with the identity.
    public func events(about account: ID<Account>) -> [AccountEvent] {
        guard isReported else { return [] }
        let changes: [AccountEvent.Change] =
            [.signalReceived(.googleSignals, type: type, effects: effects.map(\.rawValue))]
            + (effects.contains(.identitySuspended) ? [.identitySuspended(.googleSignals)] : [])
            + (effects.contains(.sessionsEnded) ? [.sessionRevoked(nil)] : [])
        return changes.map { AccountEvent($0, of: account) }
    }
}

extension ProviderID {
    /// The provider whose identities the signals are about.
    public static let googleSignals = ProviderID("google.com")
}

/// Verifies the signature, the issuer and the form of a security event token, but not its audiences.
public struct GoogleSignalVerifier: Sendable {
    /// Throws ``GoogleSignalRefusal``, or ``ProviderUnreachable`` while Google's keys cannot be fetched.
    public let verify: @Sendable (_ token: String, _ now: Instant) async throws -> GoogleSecurityToken

    public init(verify: @escaping @Sendable (String, Instant) async throws -> GoogleSecurityToken) {
        self.verify = verify
    }
}

/// Why a token is rejected. The raw value is the error code of RFC 8935 §2.3.
public enum GoogleSignalRefusal: String, Error, Hashable, CaseIterable, Sendable {
    /// The body is not a security event token with the members that the gateway needs.
    case malformed = "invalid_request"
    /// The token is not signed by Google.
    case signature = "invalid_key"
    case issuer = "invalid_issuer"
    /// No project has the audience as a client ID of Google.
    case audience = "invalid_audience"
}

extension GoogleSignalRefusal {
    public init(_ refusal: ProviderRefusal) {
        self =
            switch refusal {
            case .invalidToken(let fault) where fault.concernsSignature: .signature
            case .invalidToken(.issuer): .issuer
            case .invalidToken(.audience): .audience
            default: .malformed
            }
    }
}
