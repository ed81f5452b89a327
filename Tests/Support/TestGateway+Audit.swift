import Encoding
import HTTP
import Identity
import Postgres
import Testing

/// An event of the audit trail.
struct AuditedEvent: Hashable, CustomStringConvertible {
    let actor: String
    let action: String
    let subject: String
    let detail: [String: String]
    let network: String?
    let requestID: String?

    /// `actor action subject`, and the details.
    var description: String {
        ([actor, action, subject] + detail.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
            .joined(separator: " ")
    }
}

extension TestGateway {
    /// The audit trail without the events of the command line, sorted by time, action and subject.
    func auditTrail() async throws -> [AuditedEvent] {
        try await database.pool.query(
            """
            SELECT actor, action, subject, detail::text AS detail, network, request_id FROM audit_event
            WHERE actor <> 'cli' ORDER BY occurred_at, action, subject
            """
        ).map { row in
            let detail = try JSON(Array(try row.decode("detail", as: String.self).utf8))
            return AuditedEvent(
                actor: try row.decode("actor"), action: try row.decode("action"), subject: try row.decode("subject"),
                detail: Dictionary(uniqueKeysWithValues: detail.keys.map { ($0, detail[$0]?.string ?? "") }),
                network: try row.decode("network"),
                requestID: try row.decode("request_id"))
        }
    }

    /// Runs `work`, and returns the events that it adds to the audit trail.
    func newAuditEvents(_ work: () async throws -> Void) async throws -> [AuditedEvent] {
        let before = try await auditTrail().count
        // The trail is ordered by time, so the new events come after the earlier ones.
        clock.advance(by: .milliseconds(1))
        try await work()
        return Array(try await auditTrail().dropFirst(before))
    }
}

extension TestGateway {
    /// Every column of every audit event, as text.
    func auditTrailDump() async throws -> String {
        try await database.pool.query("SELECT to_jsonb(t)::text AS line FROM audit_event t ORDER BY occurred_at, id")
            .map { try $0.decode("line", as: String.self) }.joined(separator: "\n")
    }
}
