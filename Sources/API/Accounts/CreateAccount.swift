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
        if request.mfaInfo?.isEmpty == false { try administrator.require(.linkUsers) }
        let account = try await services.accounts.administration.create(
            try request.draft(), in: administrator.realm, from: context, by: administrator.actor)
        return try .json(SignUpMembers(account))
    }
}

private struct CreateAccountRequest: Decodable {
    let idToken: String?
    let localId: String?
    let email: String?
    let emailVerified: Bool?
    let password: String?
    let displayName: ProfileText?
    let photoUrl: ProfileText?
    let language: ProfileText?
    let timeZone: ProfileText?
    let phoneNumber: String?
    let disabled: Bool?
    let mfaInfo: [Factor]?

    /// A telephone number as second factor. Its ID is always a new one.
    struct Factor: Decodable {
        let displayName: ProfileText?
        let phoneInfo: String?
    }

    func draft() throws -> AccountAdministration.Draft {
        // An ID token names an existing account. A request with an ID token must not choose the ID of a new account.
        if idToken.nonEmpty != nil {
            throw localId.nonEmpty == nil
                ? RequestRefusal.notImplemented("idToken") : .rejected(.unexpectedParameter, "User ID")
        }
        var draft = AccountAdministration.Draft()
        draft.id = try .parsing(chosenID: localId)
        draft.email = email.nonEmpty
        draft.emailIsVerified = emailVerified == true
        draft.password = password.nonEmpty.map(Secret.init)
        draft.profile.displayName = try displayName.checkedName()
        draft.profile.photoURL = try photoUrl.checkedPhotoURL()
        draft.profile.language = try language.checkedLanguage()
        draft.profile.timeZone = try timeZone.checkedTimeZone()
        draft.phoneNumber = phoneNumber.nonEmpty
        draft.isDisabled = disabled == true
        draft.factors = try (mfaInfo ?? []).map {
            .init(phoneNumber: $0.phoneInfo ?? "", displayName: try $0.displayName.checkedName()?.content)
        }
        return draft
    }
}
