internal import HTTP
internal import Identity

extension Endpoint {
    static let updateAccount = administrator(
        "updateAccount", .post, "/v1/projects/{project}/accounts:update", needs: .writeUsers, bodyLimit: clientBodyLimit
    ) { call, administrator in
        try await call.updateAccount(for: administrator)
    }
}

extension EndpointCall {
    func updateAccount(for administrator: Administrator) async throws -> Response {
        let request = try body(as: UpdateAccountRequest.self, for: administrator)
        if request.changesIdentities { try administrator.require(.linkUsers) }
        try request.checkImplemented()
        let account = try await services.accounts.administration.update(
            try ID(named: request.localId), try request.input(), in: administrator.project, from: origin.network,
            by: actor(of: administrator))
        return try .json(UpdateAccountResponse(account))
    }
}

private struct UpdateAccountResponse: Encodable {
    let kind = "identitytoolkit#SetAccountInfoResponse"
    let localId: String
    let email: String?
    let emailVerified: Bool?
    let displayName: String?
    let photoUrl: String?
    let providerUserInfo: [ProviderUserInfo]?

    init(_ account: Account) {
        let user = UserInfo(account)
        localId = user.localId
        email = user.email
        emailVerified = user.emailVerified
        displayName = user.displayName
        photoUrl = user.photoUrl
        providerUserInfo = user.providerUserInfo
    }
}
