internal import Encoding
internal import HTTP
public import Identity

extension Endpoint {
    /// Lists the audit events of a project, newest first.
    static let listAuditEvents = administrator(
        "listAuditEvents", .get, "/v1/projects/{project}/auditEvents", needs: .readAudit
    ) { call, administrator in
        var query = try AuditQuery(call.request)
        let pageSize = query.limit
        // Queries one event more than the page has, to find out whether there is a next page.
        query.limit += 1
        let events = try await call.services.audit.page(query, administrator.realm.id)
        let page = events.prefix(pageSize)
        return try await call.json(of: page.count, for: administrator.realm.project.id) {
            AuditEvents(
                auditEvents: page.map(AuditEventResource.init),
                nextPageToken: events.count > pageSize ? page.last?.position.text : nil)
        }
    }
}

private struct AuditEvents: Encodable {
    let auditEvents: [AuditEventResource]
    let nextPageToken: String?
}

extension AuditQuery {
    fileprivate init(_ request: Request) throws(RequestRefusal) {
        self.init(limit: try ListPage.parseLimit("pageSize", request.query("pageSize"), default: 100, maximum: 1000))
        subject = try Self.subject(request)
        actor = try Self.name("actor", request)
        action = try Self.name("action", request)
        since = try Self.time("since", request)
        until = try Self.time("until", request)
        if let token = request.query("pageToken").nonEmpty {
            cursor = try TimePosition(pageToken: token)
        }
    }

    /// The subject of an event may be an account, whose ID can contain any character.
    private static func subject(_ request: Request) throws(RequestRefusal) -> String? {
        guard let text = request.query("subject").nonEmpty else { return nil }
        guard text.utf16.count <= 200, !text.utf8.contains(0) else {
            throw .invalidField("/subject", "must have at most 200 UTF-16 code units without NUL")
        }
        return text
    }

    private static func name(_ member: ByteText, _ request: Request) throws(RequestRefusal) -> String? {
        guard let text = request.query(member).nonEmpty else { return nil }
        guard text.isVisibleASCII(1...200) else {
            throw .invalidField("/\(member)", "must have at most 200 printable ASCII characters without spaces")
        }
        return text
    }

    private static func time(_ member: ByteText, _ request: Request) throws(RequestRefusal) -> Instant? {
        guard let text = request.query(member).nonEmpty else { return nil }
        guard let time = Instant(iso8601: text) else {
            throw .invalidField("/\(member)", "must be a date or a time in UTC (RFC 3339)")
        }
        return time
    }
}

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
        requestId = event.trace.requestID
    }
}
