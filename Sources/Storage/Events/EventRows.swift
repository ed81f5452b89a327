internal import Encoding
internal import FoundationEssentials
internal import Identity
internal import Postgres

/// The columns of a ``StoredEvent`` in the table `account_event` with the alias `e`.
enum StoredEventRow {
    static let columns: SQL =
        "e.sequence, e.id, e.realm_id, e.kind, e.account_id, e.actor, e.data::text AS data, e.created_at"

    static func event(_ row: Row) throws -> StoredEvent {
        StoredEvent(
            id: UUIDText.text(try row.decode("id", as: UUID.self)), sequence: try row.decode("sequence"),
            kind: try row.decode("kind"), realm: ID(try row.decode("realm_id")),
            account: ID(try row.decode("account_id")), actor: try row.decode("actor"),
            data: try JSONDecoder().decode(
                [String: AccountEvent.Change.Value].self, from: Data(try row.decode("data", as: String.self).utf8)),
            occurredAt: Instant(try row.decode("created_at")))
    }
}

/// The columns of an ``EventEndpoint`` in the table `event_endpoint` with the alias `p`.
enum EventEndpointRow {
    static let columns: SQL = """
        p.project_id, p.id AS endpoint_id, p.url, p.kinds, p.includes_profile, p.last_sequence, p.failures, p.failing_since,
        p.attempt_after, p.last_success_at, p.disabled_at, p.disabled_reason, p.created_at AS endpoint_created_at
        """

    static func endpoint(_ row: Row) throws -> EventEndpoint {
        EventEndpoint(
            id: ID(try row.decode("endpoint_id")),
            url: try row.decode("url", as: String?.self).map(CallbackURL.init(stored:)),
            kinds: try row.decode("kinds", as: [String]?.self).map { Set($0.compactMap(AccountEvent.Kind.init)) },
            includesProfile: try row.decode("includes_profile"), lastSequence: try row.decode("last_sequence"),
            health: EndpointHealth(
                failures: try row.decode("failures"), failingSince: try row.eventTime("failing_since"),
                attemptAfter: try row.eventTime("attempt_after"), lastSuccessAt: try row.eventTime("last_success_at"),
                disabledAt: try row.eventTime("disabled_at"),
                disabledReason: try row.decode("disabled_reason", as: String?.self)
                    .map { EndpointHealth.DisabledReason(rawValue: $0) ?? .noSuccess }),
            createdAt: Instant(try row.decode("endpoint_created_at")))
    }
}

extension Row {
    func eventTime(_ column: String) throws -> Instant? {
        try decode(column, as: Timestamp?.self).map { Instant($0) }
    }
}
