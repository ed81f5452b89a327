internal import HTTP
internal import Identity

extension Endpoint {
    /// Creates an account without a session.
    static let createAccount = administrator(
        "createAccount", .post, "/v1/projects/{project}/accounts", needs: .writeUsers
    ) { call, administrator in
        try await call.createAccount(for: administrator)
    }
}

extension EndpointCall {
    func createAccount(for administrator: Administrator) async throws -> Response {
        let request = try body(as: CreateAccountRequest.self, for: administrator)
        if request.members.mfaInfo?.isEmpty == false { try administrator.require(.linkUsers) }
        let account = try await services.accounts.administration.create(
            try request.draft(), in: administrator.realm, from: context, by: administrator.actor)
        return try .json(SignUpMembers(account))
    }
}

private struct CreateAccountRequest: Decodable {
    /// The members beside the profile.
    struct Members: Decodable {
        let idToken: String?
        let localId: String?
        let email: String?
        let emailVerified: Bool?
        let password: String?
        let phoneNumber: String?
        let disabled: Bool?
        let mfaInfo: [Factor]?
    }

    /// A telephone number as second factor. Its ID is always a new one.
    struct Factor: Decodable {
        let displayName: ProfileText?
        let phoneInfo: String?
    }

    let profile: ProfileMembers
    let members: Members

    init(from decoder: any Decoder) throws {
        profile = try ProfileMembers(from: decoder)
        members = try Members(from: decoder)
    }

    func draft() throws -> AccountAdministration.Draft {
        // An ID token names an existing account. A request with an ID token must not choose the ID of a new account.
        if members.idToken.nonEmpty != nil {
            throw members.localId.nonEmpty == nil
                ? RequestRefusal.notImplemented("idToken") : .rejected(.unexpectedParameter, "User ID")
        }
        var draft = AccountAdministration.Draft()
        draft.id = try .parsing(chosenID: members.localId)
        draft.email = members.email.nonEmpty
        draft.emailIsVerified = members.emailVerified == true
        draft.password = members.password.nonEmpty.map(Secret.init)
        draft.profile = try profile.checked()
        draft.phoneNumber = members.phoneNumber.nonEmpty
        draft.isDisabled = members.disabled == true
        draft.factors = try (members.mfaInfo ?? []).map {
            .init(phoneNumber: $0.phoneInfo ?? "", displayName: try $0.displayName.checkedName()?.content)
        }
        return draft
    }
}
