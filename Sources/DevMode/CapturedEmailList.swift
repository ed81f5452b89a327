internal import API
internal import Email
internal import HTTP
internal import Identity
internal import SMTP

extension Endpoint {
    /// Lists the captured emails of a project or tenant, oldest first. Due emails are delivered first, because tests
    /// list emails right after requesting them.
    static func capturedEmails(_ emails: CapturedEmails, _ worker: EmailWorker?, _ projects: DevProjects) -> Endpoint {
        outsideContract("listCapturedEmails", .get, "/emulator/v1/projects/{project}/emails") { call in
            let realm = try await projects.realm(inPathOf: call).id
            await worker?.deliverDue()
            let captured = emails.all.filter { $0.realm == realm }.sorted { $0.createdAt < $1.createdAt }
            return try .json(["emails": captured.map(CapturedEmail.init)])
        }
    }
}

private struct CapturedEmail: Encodable {
    let to: String
    let subject: String
    let kind: String
    let createdAt: String
    let text: String
    let html: String
    let links: [String]

    init(_ email: CapturedEmails.Captured) {
        to = email.message.to
        subject = email.message.subject
        kind = email.kind.rawValue
        createdAt = email.createdAt.iso8601
        text = email.message.text
        html = email.message.html
        links = email.links
    }
}
