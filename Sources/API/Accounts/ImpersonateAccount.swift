internal import Encoding
internal import HTTP
public import Identity

extension Endpoint {
    /// Returns a code for which an app gets a session of a user's account, so that an administrator can help the user.
    static let impersonateAccount = administrator(
        "impersonateAccount", .post, "/v1/projects/{project}/accounts:impersonate", needs: .mintTokens
    ) { call, administrator in
        let input = try call.body(as: ImpersonateAccountInput.self, for: administrator)
        let realm = administrator.realm
        guard let name = input.appId.nonEmpty,
            let app = try await call.services.projects.app(ID(name), realm.project.id)
        else { throw RequestRefusal.invalidField("/appId", "must be the ID of an app of the project") }
        let target = try AuthorizationTarget(input.continueUri.required(.missingContinueURI), of: app, in: realm)
        let request = SupportAccessCodes.Request(
            account: try ID<Account>(required: input.localId), app: app, target: target,
            reason: Reason(input.reason ?? ""), challenge: try input.challenge())
        let issued = try await call.services.signInPage.support.issue(
            request, in: realm, by: administrator.actor, from: call.context)
        return try .json(ImpersonateAccountOutput(issued))
    }
}

private struct ImpersonateAccountInput: Decodable {
    let localId: String?
    let reason: String?
    let appId: String?
    let continueUri: String?
    let codeChallenge: String?

    /// - Returns: `nil` without a challenge.
    func challenge() throws(RequestRefusal) -> [UInt8]? {
        guard let text = codeChallenge.nonEmpty else { return nil }
        guard let challenge = Base64URL.decode(text), challenge.count == 32 else {
            throw .invalidField("/codeChallenge", "must be a SHA-256 in base64url (RFC 7636)")
        }
        return challenge
    }
}

/// What the API returns and the command line prints.
public struct ImpersonateAccountOutput: Encodable {
    let code: String
    let codeVerifier: String?
    let codeExpiresAt: String
    let accessEndsAt: String

    public init(_ issued: SupportAccessCodes.Issued) {
        code = issued.code
        codeVerifier = issued.verifier
        codeExpiresAt = issued.expiresAt.iso8601
        accessEndsAt = issued.accessEndsAt.iso8601
    }
}
