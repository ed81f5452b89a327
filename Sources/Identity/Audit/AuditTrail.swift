internal import Encoding

/// The actor of an audit event.
public struct AuditActor: Hashable, Sendable {
    /// The actor as stored in the audit trail.
    public let name: String
    public let trace: RequestTrace
    /// Members that the detail of each event has besides those of its note.
    public let detail: [String: String]

    private init(name: String, trace: RequestTrace = .none, detail: [String: String] = [:]) {
        self.name = name
        self.trace = trace
        self.detail = detail
    }

    public static let commandLine = AuditActor(name: "cli")
    /// The gateway itself.
    public static let system = AuditActor(name: "system")
    /// A caller without a service key: `sekisho dev` accepts such callers, as Firebase's emulator does.
    public static let emulator = AuditActor(name: "emulator")
}

extension AuditActor {
    /// A service key, by its ID.
    public static func serviceKey(_ id: String, _ trace: RequestTrace = .none) -> AuditActor {
        AuditActor(name: "key:\(id)", trace: trace)
    }

    /// The same actor with the trace of a request.
    public func tracing(_ trace: RequestTrace) -> AuditActor { AuditActor(name: name, trace: trace, detail: detail) }

    /// A person who uses the console, by the ID of the account. The events also have the role.
    public static func administrator(_ id: ID<Account>, _ role: AdministratorRole) -> AuditActor {
        AuditActor(name: "\(administratorPrefix)\(id)", detail: ["role": role.rawValue])
    }

    private static let administratorPrefix = "administrator:"

    /// The user of the account, proven by a token, a password or access to the mailbox.
    public static func user(_ trace: RequestTrace) -> AuditActor { AuditActor(name: "user", trace: trace) }

    /// Whether an actor can have this ``name``.
    public static func canHave(name: String) -> Bool {
        let prefixes = [serviceKey("").name, administratorPrefix]
        return [user(.none), system, commandLine, emulator].contains { $0.name == name }
            || prefixes.contains { name.beginsExactly(with: $0) && name != $0 }
    }
}

/// The content of an audit event: IDs and member names, never personal data, secrets or addresses.
public struct AuditNote: Hashable, Sendable {
    public let action: String
    /// The ID of the changed object.
    public let subject: String
    public let detail: [String: String]

    public init(_ action: String, _ subject: String, _ detail: [String: String] = [:]) {
        self.action = action
        self.subject = subject
        self.detail = detail
    }
}

/// An audit event.
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

/// Which audit events to list, in which order and from which position; `nil` means no restriction.
public struct AuditQuery: Hashable, Sendable {
    public var subject: String?
    public var actor: String?
    public var action: String?
    public var since: Instant?
    /// Exclusive.
    public var until: Instant?
    /// Only events after this position, in the order of the query.
    public var cursor: TimePosition?
    public var isOldestFirst = false
    public var limit: Int

    public init(limit: Int) {
        self.limit = limit
    }
}

extension AuditEvent {
    /// Who caused an event, as the owner of the account sees it.
    public enum ActorKind: String, Sendable {
        /// A user of the account, proven as ``AuditActor/user(_:)`` says.
        case user
        /// The people who run the app, by their backend or by a command.
        case `operator`
        /// The gateway itself, for example after a notification of Apple.
        case gateway
    }

    public var actorKind: ActorKind {
        switch actor {
        case AuditActor.user(.none).name: .user
        case AuditActor.system.name: .gateway
        default: .operator
        }
    }

    /// The event's position in the audit trail.
    public var position: TimePosition { TimePosition(time: occurredAt, id: id) }
}

/// The audit trail for operators. A change writes its audit events in the same transaction as the change.
public struct AuditTrail: Sendable {
    public var page: @Sendable (AuditQuery, ID<Realm>) async throws -> [AuditEvent]
    /// Records an operation that changes nothing else in the database.
    public var record: @Sendable (AuditNote, AuditActor, ID<Realm>, _ now: Instant) async throws -> Void

    public init(
        page: @escaping @Sendable (AuditQuery, ID<Realm>) async throws -> [AuditEvent],
        record: @escaping @Sendable (AuditNote, AuditActor, ID<Realm>, _ now: Instant) async throws -> Void
    ) {
        self.page = page
        self.record = record
    }
}

extension AuditNote {
    /// Audited operations on an account that change nothing about it, so that they have no ``AccountEvent``.
    public enum AccountAction: String, Sendable, CaseIterable {
        /// The user revoked tokens at the provider (`revokeToken`).
        case tokensRevoked = "tokens.revoked"
        /// A code was emailed, or returned to a backend.
        case codeIssued = "code.issued"
        case sessionCookieCreated = "sessionCookie.created"
        /// The user exported what the gateway stores about the account.
        case accountExported = "account.exported"
        /// An administrator got a code for a session with ``SupportAccess``.
        case accountImpersonated = "account.impersonated"
    }

    /// The actions that a client can repeat without limit. Within ``coalescingWindow``, the same action of the same
    /// actor on the same account from the same network adds one event, which counts the repetitions. Each action of the
    /// command line adds an event.
    private static let unlimitedActions: Set<String> = [
        AccountEvent.Kind.sessionRevoked.rawValue, AccountAction.sessionCookieCreated.rawValue,
    ]
    /// The length of the windows of coalesced events. All windows begin at the same moments.
    public static let coalescingWindow: Duration = .seconds(3600)

    /// The text that the coalesced events of one window have in common; `nil` if the note gets an event of its own.
    public func coalescingKey(by actor: AuditActor, at now: Instant, in realm: ID<Realm>) -> String? {
        guard Self.unlimitedActions.contains(action), actor != .commandLine else { return nil }
        let window = now.seconds / Self.coalescingWindow.components.seconds
        // The end of all sessions and the end of one are events of one kind, but not repetitions of each other.
        let scope = detail["all"] == nil ? "" : "all"
        // The ID of the subject may have any characters, so it comes last.
        return "\(window)|\(realm.rawValue)|\(action)|\(scope)|\(actor.name)|\(actor.trace.network ?? "")|\(subject)"
    }

    private static let importAction = "accounts.imported"

    public init(_ action: AccountAction, _ account: ID<Account>, _ detail: [String: String] = [:]) {
        self.init(action.rawValue, account.rawValue, detail)
    }

    public init(_ kind: AccountEvent.Kind, _ account: ID<Account>, _ detail: [String: String]) {
        self.init(kind.rawValue, account.rawValue, detail)
    }

    /// The maximum number of IDs in one event. The event also has their total number.
    public static let idLimit = 100

    /// The event for an import of accounts. Each account that the import replaced also has an event of its own; see
    /// ``AccountEvent/importing(replacing:)``.
    public static func imported(_ accounts: [ID<Account>], in realm: ID<Realm>) -> AuditNote {
        let detail = [
            "count": String(accounts.count),
            "accounts": accounts.prefix(idLimit).map(\.rawValue).joined(separator: " "),
        ]
        return AuditNote(importAction, realm.rawValue, detail)
    }
}
