public import Identity

/// An audit event on the wire and in exports.
public struct AuditEventResource: Encodable, Sendable {
    let eventId: String
    let occurredAt: String
    let actor: String
    let action: String
    let subject: String
    let detail: [String: String]
    let network: String?
    let requestId: String?

    public init(_ event: AuditEvent) {
        eventId = event.id
        occurredAt = event.occurredAt.iso8601
        actor = event.actor
        action = event.note.action
        subject = event.note.subject
        detail = event.note.detail
        network = event.trace.network
        requestId = event.trace.request
    }
}
