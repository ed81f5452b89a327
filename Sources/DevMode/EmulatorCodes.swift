internal import API
internal import Crypto
internal import Email
internal import Gateway
internal import HTTP
internal import Identity
internal import Postgres
internal import Storage

extension Endpoint {
    /// The codes that can still be used. What is due is delivered first, for a suite asks right after its request.
    static func emulatorCodes(
        _ mail: CapturedEmails, _ postOffice: EmailService?, on pool: Pool, _ projects: DevProjects
    ) -> Endpoint {
        extra("listOobCodes", .get, "/emulator/v1/projects/{project}/oobCodes") { call in
            let project = try await projects.named(by: call)
            await postOffice?.worker.deliverDue()
            let codes = mail.codes
            let standing = try await CodeInspection(pool: pool)
                .standing(Array(codes.keys), in: project.realm, at: projects.clock.now())
            let base = (postOffice?.publicURL() ?? "") + CapturedEmails.actionPath
            return try .json([
                "oobCodes": standing.compactMap { entry in
                    codes[entry.hash].map { EmulatorCode(entry, $0, mail.content(of: $0), in: project, at: base) }
                }
            ])
        }
    }
}

private struct EmulatorCode: Encodable {
    let email: String
    let newEmail: String?
    let requestType: String
    let oobCode: String
    let oobLink: String

    init(_ entry: CodeInspection.Entry, _ code: String, _ content: EmailPayload, in project: Project, at base: String) {
        email = entry.email
        newEmail = entry.newEmail
        requestType = entry.purpose.rawValue
        oobCode = code
        oobLink =
            ActionLink(
                .init(entry.purpose), code: code, in: project.realm, at: base, apiKey: content.apiKey ?? "fake-api-key",
                language: project.mail.language, continueURL: content.continueURL
            ).url
    }
}
