internal import Encoding
internal import HTTP
internal import Identity

/// The administrators of a project: people who use the console. The path of the operators' project stands for all
/// projects.
extension Endpoint {
    private static let collection = "/v2/projects/{project}/administrators"
    private static let resource = collection + "/{localId}"

    static let listAdministrators = administrator("listAdministrators", .get, collection, needs: .readConfig) {
        call, administrator in
        let limit = try ListPage.parseLimit("pageSize", call.request.query("pageSize"), maximum: 100)
        // One more than the page has shows whether another page follows.
        let listed = try await call.services.console.administrators.list(
            in: administrator.realm.project.id, after: try .parsing(pageToken: call.request.query("pageToken")),
            limit: limit + 1)
        let page = listed.prefix(limit)
        return try .json(
            AdministratorList(
                administrators: page.map { AdministratorResource($0) },
                nextPageToken: listed.count > limit ? page.last?.account.rawValue : nil))
    }

    static let inviteAdministrator = administrator(
        "inviteAdministrator", .post, collection, needs: .writeAdministrators
    ) { call, administrator in
        let input = try call.body(as: InviteAdministratorInput.self, for: administrator)
        let invitation = try await call.services.console.administrators.invite(
            email: input.email, as: try AdministratorRole(input.role), in: administrator.realm.project.id,
            by: administrator.granter, administrator.actor, from: call.context)
        return try .json(AdministratorResource(invitation.administrator, invitationUri: invitation.uri))
    }

    static let updateAdministrator = administrator(
        "updateAdministrator", .patch, resource, needs: .writeAdministrators
    ) { call, administrator in
        let input = try call.body(as: UpdateAdministratorInput.self, for: administrator)
        let changed = try await call.services.console.administrators.change(
            AdministratorChange(
                call.administratorID, in: administrator.realm.project.id, to: try AdministratorRole(input.role)),
            by: administrator.granter, administrator.actor, from: call.context)
        return try .json(AdministratorResource(changed))
    }

    static let removeAdministrator = administrator(
        "removeAdministrator", .delete, resource, needs: .writeAdministrators
    ) { call, administrator in
        _ = try await call.services.console.administrators.change(
            AdministratorChange(call.administratorID, in: administrator.realm.project.id, to: nil),
            by: administrator.granter, administrator.actor, from: call.context)
        return .noContent
    }
}

extension EndpointCall {
    fileprivate var administratorID: ID<Account> { ID(parameters["localId"] ?? "") }
}

extension Administrator {
    /// The caller, as a change of a role sees it.
    fileprivate var granter: AdministratorGranter { AdministratorGranter(account: person, scopes: scopes) }
}

extension AdministratorRole {
    fileprivate init(_ name: String?) throws(RequestRefusal) {
        guard let role = name.flatMap(AdministratorRole.init(rawValue:)) else {
            throw .invalidField("/role", "must be one of \(Self.names.joined(separator: ", "))")
        }
        self = role
    }
}

private struct InviteAdministratorInput: Decodable {
    let email: String?
    let role: String?
}

private struct UpdateAdministratorInput: Decodable {
    let role: String?
}

private struct AdministratorList: Encodable {
    let administrators: [AdministratorResource]
    let nextPageToken: String?
}

private struct AdministratorResource: Encodable {
    let localId: String
    let email: String?
    let displayName: String?
    let role: String
    let invitationExpiresAt: String?
    let invitationUri: String?

    init(_ administrator: ListedAdministrator, invitationUri: String? = nil) {
        localId = administrator.account.rawValue
        email = administrator.email?.rawValue
        displayName = administrator.displayName
        role = administrator.role.rawValue
        invitationExpiresAt = administrator.invitationExpiresAt?.iso8601
        self.invitationUri = invitationUri
    }
}
