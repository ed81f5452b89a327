/// A verified server-to-server notification from Apple ("Processing changes for Sign in with Apple accounts").
public struct AppleNotification: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Apple no longer forwards email from the relay address.
        case emailDisabled
        case emailEnabled
        /// The user no longer uses Sign in with Apple for this app.
        case consentRevoked
        /// The Apple Account was deleted. Apple documents `account-deleted` and sends `account-delete`.
        case accountDeleted
        case other(String)
    }

    /// `jti`. The same notification may arrive more than once.
    public let id: String
    /// SHA-256 of ``id``. It becomes the replay key, with which each realm applies the notification once.
    public let idHash: [UInt8]
    /// `aud`: the primary App ID of the group of apps.
    public let audience: String
    public let kind: Kind
    public let subject: String
    public let issuedAt: Instant
    /// `event_time`; `nil` if it is absent or not a time.
    public let occurredAt: Instant?
    public let email: EmailAddress?
    public let isPrivateEmail: Bool

    public init(
        id: String, idHash: [UInt8], audience: String, kind: Kind, subject: String, issuedAt: Instant,
        occurredAt: Instant?, email: EmailAddress?, isPrivateEmail: Bool
    ) {
        self.id = id
        self.idHash = idHash
        self.audience = audience
        self.kind = kind
        self.subject = subject
        self.issuedAt = issuedAt
        self.occurredAt = occurredAt
        self.email = email
        self.isPrivateEmail = isPrivateEmail
    }
}

extension AppleNotification {
    /// The maximum age of an event. Notifications of older events are rejected.
    public static let acceptedAge: Duration = .seconds(7 * 86_400)
    /// How long replay keys are kept after the event. Longer than ``acceptedAge``, because clocks differ.
    public static let replayKeyLifetime: Duration = .seconds(8 * 86_400)
    /// How far Apple's clock may be ahead of the gateway's.
    static let leeway: Duration = .seconds(60)

    /// - Throws: ``AppleNotificationRefusal``.
    public func requireTimely(at now: Instant) throws(AppleNotificationRefusal) {
        let time = occurredAt ?? issuedAt
        guard time > now - Self.acceptedAge else { throw .age }
        guard time <= now + Self.leeway else { throw .time }
    }

    /// - Returns: `nil` for a type that the gateway does not know.
    public func event(receivedAt now: Instant) -> AppleEvent? {
        let kind: AppleEvent.Kind
        switch self.kind {
        case .emailDisabled: kind = .forwarding(false)
        case .emailEnabled: kind = .forwarding(true)
        case .consentRevoked: kind = .consentRevoked
        case .accountDeleted: kind = .accountDeleted
        case .other: return nil
        }
        let time = occurredAt ?? issuedAt
        return AppleEvent(
            kind: kind, subject: subject, clientID: audience, email: email, occurredAt: time, receivedAt: now,
            replayKey: ReplayKey(hash: idHash, expiresAt: time + Self.replayKeyLifetime))
    }
}

/// Why a notification is rejected. The raw value is the label `reason` of `sekisho_apple_notifications_refused_total`.
public enum AppleNotificationRefusal: String, Refusal, CaseIterable {
    /// The payload is not a token, or has no usable `jti`, `events`, `type` or `sub`.
    case malformed
    case signature
    case issuer
    /// The audience is not a client ID of any project, or not of the project in the path.
    case audience
    /// `exp` has passed, or a time is in the future.
    case time
    /// The event is older than ``AppleNotification/acceptedAge``.
    case age

    public init(_ refusal: ProviderRefusal) {
        self =
            switch refusal {
            case .invalidToken(let fault) where fault.concernsSignature: .signature
            case .invalidToken(.issuer): .issuer
            case .invalidToken(.audience), .invalidToken(.authorizedParty): .audience
            case .invalidToken(.expired), .invalidToken(.notYetValid): .time
            default: .malformed
            }
    }

    public var code: ErrorCode { .invalidIdpResponse }

    /// Names neither the accepted client IDs nor anything from the payload, because any client may send a notification.
    public var detail: String? {
        switch self {
        case .malformed: "The payload is not a notification from Apple."
        case .signature: "The payload is not signed by Apple."
        case .issuer: "The issuer of the payload is not Apple."
        case .audience: "The audience of the payload is not an accepted client ID."
        case .time: "The payload has expired, or its time is in the future."
        case .age: "The event is older than 7 days."
        }
    }

    public var loggedCode: String { "\(code.rawValue) : \(rawValue)" }
}

/// Verifies the payload of a notification by signature, issuer and times. The audience is not checked.
public struct AppleNotificationVerifier: Sendable {
    /// Throws ``ProviderRefusal/invalidToken(_:)``, or ``ProviderUnreachable`` if Apple's keys cannot be fetched.
    public var verify: @Sendable (_ payload: String, _ now: Instant) async throws -> AppleNotification

    public init(verify: @escaping @Sendable (String, Instant) async throws -> AppleNotification) {
        self.verify = verify
    }
}
