/// A listener of a project's events: a server of the operator (a webhook), or, without a URL, a backend that reads the
/// feed.
public struct EventEndpoint: Hashable, Sendable {
    /// The maximum number of endpoints of a project.
    public static let countLimit = 20

    public let id: ID<EventEndpoint>
    public var url: CallbackURL?
    /// The kinds that the endpoint wants; `nil` for ``AccountEvent/Kind/ordinary``.
    public var kinds: Set<AccountEvent.Kind>?
    /// Whether events contain the profile of the account, as it is at the delivery.
    public var includesProfile: Bool
    /// The last event whose first attempt has been made.
    public var lastSequence: Int64
    public var health: EndpointHealth
    public let createdAt: Instant

    public init(
        id: ID<EventEndpoint>, url: CallbackURL?, kinds: Set<AccountEvent.Kind>?, includesProfile: Bool = false,
        lastSequence: Int64 = 0, health: EndpointHealth = EndpointHealth(), createdAt: Instant
    ) {
        self.id = id
        self.url = url
        self.kinds = kinds
        self.includesProfile = includesProfile
        self.lastSequence = lastSequence
        self.health = health
        self.createdAt = createdAt
    }
}

extension EventEndpoint {
    public var wantedKinds: Set<AccountEvent.Kind> { kinds ?? AccountEvent.Kind.ordinary }

    /// Whether `id` has the form of an endpoint's ID.
    public static func isValid(_ id: ID<EventEndpoint>) -> Bool {
        id.rawValue.wholeMatch(of: /[a-z0-9][a-z0-9-]{0,62}/) != nil
    }
}

extension AccountEvent.Kind {
    /// The kinds of which the gateway records an event for every sign-in. A listener has to name them.
    public static let frequent: Set<AccountEvent.Kind> = [.sessionOpened, .sessionRevoked]
    /// The kinds that a listener gets that names none.
    public static let ordinary = Set(allCases).subtracting(frequent)
}

/// A numbered event of a project.
public struct StoredEvent: Hashable, Sendable {
    /// A UUID in lower-case text. The same for every delivery of the event.
    public let id: String
    /// The event's number in its project. Numbers have no gaps; a reader of one has seen all lower ones.
    public let sequence: Int64
    /// A kind that a newer release has written may be unknown.
    public let kind: String
    public let realm: ID<Realm>
    public let account: ID<Account>
    /// See ``AuditActor/name``.
    public let actor: String
    public let data: [String: AccountEvent.Change.Value]
    public let occurredAt: Instant

    public init(
        id: String, sequence: Int64, kind: String, realm: ID<Realm>, account: ID<Account>, actor: String,
        data: [String: AccountEvent.Change.Value], occurredAt: Instant
    ) {
        self.id = id
        self.sequence = sequence
        self.kind = kind
        self.realm = realm
        self.account = account
        self.actor = actor
        self.data = data
        self.occurredAt = occurredAt
    }
}

/// A page of the feed.
public struct EventPage: Sendable {
    public let events: [StoredEvent]
    /// The number up to which the page has all wanted events.
    public let lastSequence: Int64
    /// The lowest number that the gateway still has; `nil` without events.
    public let earliestSequence: Int64?

    public init(events: [StoredEvent], lastSequence: Int64, earliestSequence: Int64?) {
        self.events = events
        self.lastSequence = lastSequence
        self.earliestSequence = earliestSequence
    }
}

/// The state of one event's delivery to one endpoint.
public struct EndpointDelivery: Hashable, Sendable {
    public enum State: String, Hashable, Sendable, CaseIterable {
        case pending, delivered, failed
    }

    public let sequence: Int64
    /// `nil` if the event has been deleted after the retention period.
    public let event: StoredEvent?
    public let state: State
    public let attempts: Int
    /// The time of the next attempt.
    public let dueAt: Instant?
    public let attemptedAt: Instant?
    /// The status of the latest response.
    public let status: Int?
    /// Why the latest attempt failed.
    public let failure: String?

    public init(
        sequence: Int64, event: StoredEvent?, state: State, attempts: Int, dueAt: Instant?, attemptedAt: Instant?,
        status: Int?, failure: String?
    ) {
        self.sequence = sequence
        self.event = event
        self.state = state
        self.attempts = attempts
        self.dueAt = dueAt
        self.attemptedAt = attemptedAt
        self.status = status
        self.failure = failure
    }
}

/// Which events to deliver again to an endpoint.
public struct EventReplay: Hashable, Sendable {
    /// The maximum number of events that one request selects.
    public static let limit = 100_000

    /// Exclusive.
    public let after: Int64
    /// Inclusive; `nil` for the latest event.
    public let until: Int64?
    /// `nil` for the kinds that the endpoint wants.
    public let kinds: Set<AccountEvent.Kind>?
    /// UUIDs in lower-case text; `nil` for all events.
    public let ids: [String]?

    public init(after: Int64, until: Int64?, kinds: Set<AccountEvent.Kind>?, ids: [String]?) {
        self.after = after
        self.until = until
        self.kinds = kinds
        self.ids = ids
    }
}
