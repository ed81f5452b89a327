internal import Encoding
public import Identity
internal import JSON

/// An event, as webhooks and the feed send it.
public struct EventResource: Encodable, Sendable {
    let id: String
    let type: String
    let timestamp: String
    let project: String
    let tenantId: String?
    /// Absent for a test event.
    let sequence: Int64?
    let data: EventData

    /// - Parameter account: the account whose profile the event contains; `nil` for none.
    public init(_ event: StoredEvent, profileOf account: Account? = nil) {
        self.init(event, sequence: event.sequence, profileOf: account)
    }

    private init(_ event: StoredEvent, sequence: Int64?, profileOf account: Account? = nil) {
        id = event.id
        type = event.kind
        timestamp = event.occurredAt.iso8601
        project = event.realm.project.rawValue
        tenantId = event.realm.tenant?.rawValue
        self.sequence = sequence
        data = EventData(
            account: event.account, actor: event.actor, details: event.data,
            profile: account.map { .forAdministrators($0, of: event.realm.tenant) })
    }

    /// An event about no account, which only shows that the endpoint works.
    public static func test(_ id: String, of project: ID<Project>, at now: Instant) -> EventResource {
        EventResource(
            StoredEvent(
                id: id, sequence: 0, kind: "endpoint.test", realm: ID(project), account: ID("test"),
                actor: AuditActor.system.name, data: [:], occurredAt: now), sequence: nil)
    }

    /// The body of a webhook request.
    public func json() throws -> [UInt8] { try StrictJSON.encode(self) }
}

/// The details of an event, with the account and the actor.
struct EventData: Encodable, Sendable {
    let account: ID<Account>
    let actor: String
    let details: [String: AccountEvent.Change.Value]
    let profile: UserInfo?

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for (name, value) in details { try container.encode(value, forKey: Name(stringValue: name)) }
        // Only an event about no account has none.
        if !account.rawValue.isEmpty { try container.encode(account.rawValue, forKey: Name(stringValue: "localId")) }
        try container.encode(actor, forKey: Name(stringValue: "actor"))
        try container.encodeIfPresent(profile, forKey: Name(stringValue: "profile"))
    }
}
