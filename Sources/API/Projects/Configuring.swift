internal import HTTP
internal import Identity

extension EndpointCall {
    func configuration(for administrator: Administrator) async throws -> ProjectConfiguration {
        guard let configuration = try await services.projects.editor.configuration(administrator.project.realm) else {
            throw RequestRefusal.notFound
        }
        return configuration
    }

    /// Changes a configuration.
    ///
    /// - Parameter discardingIdentities: whether a provider whose issuer changes loses its identities of other issuers.
    ///   Otherwise such a change is rejected while the provider has identities of another issuer.
    /// - Returns: the configuration after the change.
    /// - Throws: the errors of ``ProjectEditor``, and ``AccessRefusal`` if the key lacks the scope to discard
    ///   identities.
    func configure(
        as administrator: Administrator, discardingIdentities: Bool = false, _ change: @escaping ProjectEditor.Change
    ) async throws -> ProjectConfiguration {
        var permissions: EditPermissions = administrator.scopes.allows(.trust) ? .changeTrust : []
        if discardingIdentities {
            try administrator.require(.linkUsers)
            permissions.insert(.discardIdentities)
        }
        let configuration = try await services.projects.editor.edit(
            administrator.project.realm, actor(of: administrator), permissions, change)
        guard let configuration else { throw RequestRefusal.notFound }
        return configuration
    }

    /// The members that an update changes.
    var mask: FieldMask { FieldMask(request.query("updateMask")) }
}

/// An empty object.
struct NoContent: Encodable {}

/// The requested page of a list. A page token is the last ID of the previous page.
struct ListPage {
    let limit: Int
    /// The last ID of the previous page.
    let last: String?

    /// - Throws: ``RequestRefusal`` for an invalid `pageSize`, or a token that cannot be an ID.
    init(_ request: Request, maximum: Int = 100) throws(RequestRefusal) {
        let requested = request.query("pageSize").nonEmpty ?? "20"
        guard let number = Int(requested), number >= 0 else {
            throw .invalidField("/pageSize", "must be a non-negative integer")
        }
        limit = number == 0 ? 20 : min(number, maximum)
        last = request.query("pageToken").nonEmpty
        let isID = last.map { $0.utf8.count <= 128 && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
        guard isID != false else { throw .rejected(.invalidPageSelection) }
    }

    /// - Returns: the items of this page in the order of their IDs, and the token of the next page if there is one.
    func part<Item>(of items: [Item], by id: (Item) -> String) -> (items: [Item], next: String?) {
        let sorted = items.sorted { id($0) < id($1) }
        let remaining = last.map { last in sorted.filter { id($0) > last } } ?? sorted
        let page = Array(remaining.prefix(limit))
        return (page, remaining.count > page.count ? page.last.map(id) : nil)
    }
}

/// The audiences of a provider on the wire: the first alone in `clientId`, and all of them in the extension
/// `clientIds`.
struct ClientIDsInput {
    let clientId: String?
    let clientIds: [String]?
    /// For Apple only.
    var bundleIds: [String]?

    /// `clientIds` takes precedence if present and covered by the mask. Otherwise `clientId` replaces the first
    /// audience, and `bundleIds` replaces the remaining ones. An absent member removes its audiences if there is no
    /// mask, and keeps them otherwise.
    func ids(insteadOf old: [String], where mask: FieldMask) -> [String] {
        if mask.contains("clientIds"), let clientIds { return clientIds }
        let current = mask.coversAllFields ? [] : old
        let first = mask.contains("clientId") ? clientId.nonEmpty : nil
        let others = mask.contains("appleSignInConfig.bundleIds") ? bundleIds : nil
        let all = [first ?? current.first].compactMap { $0 } + (others ?? Array(current.dropFirst()))
        return all.enumerated().filter { !all[..<$0.offset].contains($0.element) }.map(\.element)
    }
}
