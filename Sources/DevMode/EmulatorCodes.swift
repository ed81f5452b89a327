internal import API
internal import Crypto
internal import Email
internal import Gateway
internal import HTTP
internal import Identity
internal import Postgres
internal import Storage

extension Endpoint {
    /// Lists the email action codes that have not expired. Due emails are delivered first, because tests list codes
    /// right after requesting them.
    static func emailActionCodes(
        _ emails: CapturedEmails, _ emailService: EmailService?, on pool: Pool, _ projects: DevProjects
    ) -> Endpoint {
        outsideContract("listOobCodes", .get, "/emulator/v1/projects/{project}/oobCodes") { call in
            let realm = try await projects.realm(inPathOf: call)
            await emailService?.worker.deliverDue()
            let codesByHash = emails.codesByHash
            let unexpired = try await OOBCodeLookup(pool: pool)
                .unexpiredCodes(Array(codesByHash.keys), in: realm.id, at: projects.clock.now())
            let base = (emailService?.publicURL() ?? "") + CapturedEmails.actionPath
            return try .json([
                "oobCodes": unexpired.compactMap { entry in
                    codesByHash[entry.hash].map { code in
                        EmulatorCode(entry, code, emails.payload(of: code), in: realm, at: base)
                    }
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

    init(_ entry: OOBCodeLookup.Entry, _ code: String, _ payload: EmailPayload, in realm: Realm, at base: String) {
        email = entry.email
        newEmail = entry.newEmail
        requestType = entry.purpose.rawValue
        oobCode = code
        oobLink =
            ActionLink(
                .init(entry.purpose), code: code, in: realm.id, at: payload.appLinkBase ?? base,
                apiKey: payload.apiKey ?? "fake-api-key",
                language: realm.project.emailSettings.language, continueURL: payload.continueURL
            ).url
    }
}
