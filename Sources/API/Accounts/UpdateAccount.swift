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
        let request = try body(as: UpdateRequest<AdministratorUpdateFields>.self, for: administrator)
        if request.changesIdentities { try administrator.require(.linkUsers) }
        try request.shared.checkImplemented(besides: ("oobCode", request.shared.oobCode.nonEmpty != nil))
        let account = try await services.accounts.administration.update(
            try ID(named: request.own.localId), try request.input(), in: administrator.project, from: origin.network,
            by: actor(of: administrator))
        return try .json(UpdateResponse(account))
    }
}

private struct AdministratorUpdateFields: Decodable {
    let localId: String?
    let emailVerified: Bool?
    let phoneNumber: String?
    let createdAt: String?
    let lastLoginAt: String?
    let linkProviderUserInfo: LinkedIdentityInput?
}

extension UpdateRequest<AdministratorUpdateFields> {
    /// Whether identities of providers change. Password and phone number are not identities.
    fileprivate var changesIdentities: Bool {
        own.linkProviderUserInfo != nil
            || (shared.deleteProvider ?? []).contains { ![.password, .phone].contains(ProviderID($0)) }
    }

    /// Removing a member takes precedence over setting it. Removing the provider `password` also removes the address.
    fileprivate func input() throws -> AccountAdministration.Input {
        var input = AccountAdministration.Input()
        var update = shared.profile
        let unlinked = Set((shared.deleteProvider ?? []).map { ProviderID($0) })
        if shared.deletes(.email) || unlinked.contains(.password) {
            update.email = .remove
        } else {
            input.email = shared.email.nonEmpty
        }
        if shared.deletes(.password) || unlinked.contains(.password) {
            update.passwordHash = .remove
        } else {
            input.password = shared.password.nonEmpty.map(Secret.init)
        }
        if unlinked.contains(.phone) {
            update.phoneNumber = .remove
        } else {
            input.phoneNumber = own.phoneNumber.nonEmpty
        }
        update.emailIsVerified = own.emailVerified
        update.isDisabled = shared.disableUser
        update.validSince = try .parsing(seconds: shared.validSince, at: "/validSince")
        update.createdAt = try .parsing(milliseconds: own.createdAt, at: "/createdAt")
        update.lastSignInAt = try .parsing(milliseconds: own.lastLoginAt, at: "/lastLoginAt")
        input.change.unlinked = unlinked
        input.change.linked = try own.linkProviderUserInfo?.identity()
        update.customClaims = try shared.customAttributes.map(Claims.init(checking:))
        input.change.update = update
        return input
    }
}
