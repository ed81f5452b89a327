/// How the events of a change are recorded: who has caused them, and which of them the outbox gets.
public struct EventRecording: Hashable, Sendable {
    public let actor: AuditActor
    /// The kinds of events that the project's listeners want. With none, the store sends no statement for the outbox.
    public let wantedKinds: Set<AccountEvent.Kind>

    public init(by actor: AuditActor, wanting kinds: Set<AccountEvent.Kind>) {
        self.actor = actor
        wantedKinds = kinds
    }
}

extension EventRecording {
    /// For events that the gateway itself causes during the change.
    public var bySystem: EventRecording { EventRecording(by: .system, wanting: wantedKinds) }
}

extension Realm {
    public func recording(by actor: AuditActor) -> EventRecording {
        EventRecording(by: actor, wanting: project.wantedEvents)
    }
}

/// A deletion of accounts, except that of a merge's source.
public struct AccountDeletion: Hashable, Sendable {
    public let recording: EventRecording
    public let deletedAt: Instant
    /// `false` if the accounts are deleted with their tenant. The audit trail then has one event, about the tenant.
    public let isAudited: Bool

    public init(at deletedAt: Instant, recording: EventRecording, isAudited: Bool = true) {
        self.recording = recording
        self.deletedAt = deletedAt
        self.isAudited = isAudited
    }
}

extension AccountDeletion {
    /// The event of each deleted account.
    public var event: AccountEvent.Change { .accountDeleted }
}
