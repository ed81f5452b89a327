internal import Encoding
internal import HTTP
internal import Identity

extension Endpoint {
    /// Lists the newest emails that wait to be sent, and those whose delivery was given up.
    static let listQueuedEmails = administrator(
        "listQueuedEmails", .get, "/v2/projects/{project}/queuedEmails", needs: .readConfig
    ) { call, administrator in
        let limit = try ListPage.parseLimit("pageSize", call.request.query("pageSize"), default: 100, maximum: 1000)
        let emails = try await call.services.emailActions.queue(administrator.realm.project.id, limit)
        return try await call.json(of: emails.count, for: administrator.realm.project.id) {
            QueuedEmails(emails: emails.map(QueuedEmailResource.init))
        }
    }
}

private struct QueuedEmails: Encodable {
    let emails: [QueuedEmailResource]
}

private struct QueuedEmailResource: Encodable {
    let emailId: String
    let tenantId: String?
    let kind: String
    let state: String
    let attempts: Int
    let createdAt: String
    let dueAt: String?
    let givenUpAt: String?
    let failure: String?

    init(_ email: ListedEmail) {
        emailId = email.id.rawValue
        tenantId = email.realm.tenant?.rawValue
        kind = email.kind
        state = email.givenUpAt == nil ? "waiting" : "givenUp"
        attempts = email.attempts
        createdAt = email.createdAt.iso8601
        dueAt = email.givenUpAt == nil ? email.dueAt.iso8601 : nil
        givenUpAt = email.givenUpAt?.iso8601
        failure = email.failure
    }
}
