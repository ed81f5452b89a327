internal import Encoding

/// Where a request came from and which one it was, as far as anybody may read it later: no address, and no person.
public struct RequestTrace: Hashable, Sendable {
    /// A network wide enough to name nobody, as log lines show it.
    public let network: String?
    /// The request's id in the log.
    public let request: String?

    public init(network: String? = nil, request: String? = nil) {
        self.network = network
        self.request = request
    }

    /// Of what no request asked for.
    public static let none = RequestTrace()
}

/// Who did something, for the audit trail.
public struct AuditActor: Hashable, Sendable {
    /// As the audit trail has it.
    public let name: String
    public let trace: RequestTrace

    private init(name: String, trace: RequestTrace = .none) {
        self.name = name
        self.trace = trace
    }

    public static let commandLine = AuditActor(name: "cli")
    /// The gateway itself.
    public static let system = AuditActor(name: "system")
    /// A caller that `dev` mode lets in without a key, as Firebase's emulator does.
    public static let emulator = AuditActor(name: "emulator")

    /// A service key, by its id.
    public static func key(_ id: String, _ trace: RequestTrace = .none) -> AuditActor {
        AuditActor(name: "key:\(id)", trace: trace)
    }

    /// The same, by one request.
    public func tracing(_ trace: RequestTrace) -> AuditActor { AuditActor(name: name, trace: trace) }

    /// Whoever the account belongs to, or turns out to belong to.
    public static func user(_ trace: RequestTrace) -> AuditActor { AuditActor(name: "user", trace: trace) }
}

/// What was done, for the audit trail: ids and names of members, never a value of somebody's, a secret or an address.
public struct AuditNote: Hashable, Sendable {
    public let action: String
    /// The id of what it was done to.
    public let subject: String
    public let detail: [String: String]

    public init(_ action: String, _ subject: String, _ detail: [String: String] = [:]) {
        self.action = action
        self.subject = subject
        self.detail = detail
    }
}

/// A line of the audit trail.
public struct AuditEvent: Hashable, Sendable {
    /// A UUID in lower-case text.
    public let id: String
    public let note: AuditNote
    /// See ``AuditActor/name``.
    public let actor: String
    public let trace: RequestTrace
    public let occurredAt: Instant

    public init(id: String, note: AuditNote, actor: String, trace: RequestTrace, occurredAt: Instant) {
        self.id = id
        self.note = note
        self.actor = actor
        self.trace = trace
        self.occurredAt = occurredAt
    }
}

/// Which lines of the audit trail are asked for; `nil` asks for all.
public struct AuditQuery: Hashable, Sendable {
    /// A place between two lines, which stays where it is whatever is written.
    public struct Place: Hashable, Sendable {
        public let occurredAt: Instant
        public let id: String

        /// Right behind `event`, in the order of the query.
        public init(behind event: AuditEvent) {
            occurredAt = event.occurredAt
            id = event.id
        }

        /// - Parameter text: ``text`` of a place.
        public init?(parsing text: String) {
            let parts = text.split(separator: "_", omittingEmptySubsequences: false)
            guard parts.count == 2, let time = Int64(parts[0]), (0...253_402_300_799_999_999).contains(time),
                UUIDText.bytes(String(parts[1])) != nil
            else { return nil }
            occurredAt = Instant(microseconds: time)
            id = String(parts[1])
        }

        public var text: String { "\(occurredAt.microseconds)_\(id)" }
    }

    public var subject: String?
    public var actor: String?
    public var action: String?
    public var since: Instant?
    /// Exclusive.
    public var until: Instant?
    public var place: Place?
    public var isOldestFirst = false
    public var limit: Int

    public init(limit: Int) {
        self.limit = limit
    }
}

/// The audit trail as operations use it; what changes something writes its own lines, in the transaction of the change.
public struct AuditTrail: Sendable {
    public var page: @Sendable (AuditQuery, ID<Realm>) async throws -> [AuditEvent]
    /// For what changes nothing in the database.
    public var record: @Sendable (AuditNote, AuditActor, ID<Realm>, _ now: Instant) async throws -> Void

    public init(
        page: @escaping @Sendable (AuditQuery, ID<Realm>) async throws -> [AuditEvent],
        record: @escaping @Sendable (AuditNote, AuditActor, ID<Realm>, _ now: Instant) async throws -> Void
    ) {
        self.page = page
        self.record = record
    }
}
