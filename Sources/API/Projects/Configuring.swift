internal import HTTP
internal import Identity

extension EndpointCall {
    func configuration(for administrator: Administrator) async throws -> ProjectConfiguration {
        guard let configuration = try await services.projects.editor.configuration(administrator.project.realm) else {
            throw RequestRefusal.notFound
        }
        return configuration
    }

    /// - Returns: what is configured now.
    func configure(
        as administrator: Administrator, _ change: @escaping ProjectEditor.Change
    ) async throws -> ProjectConfiguration {
        try await configure(as: administrator, discardingIdentities: false, change)
    }

    /// The same where a provider may get another issuer.
    ///
    /// - Parameter discardingIdentities: unlinks the identities of the old issuer.
    func configure(
        as administrator: Administrator, discardingIdentities: Bool, _ change: @escaping ProjectEditor.Change
    ) async throws -> ProjectConfiguration {
        var permissions: EditPermissions = administrator.scopes.allow(.trust) ? .changeTrust : []
        if discardingIdentities {
            try administrator.require(.linkUsers)
            permissions.insert(.discardIdentities)
        }
        let configuration = try await services.projects.editor.edit(
            administrator.project.realm, actor(of: administrator), permissions, change)
        guard let configuration else { throw RequestRefusal.notFound }
        return configuration
    }

    /// What an update is about.
    var mask: FieldMask { FieldMask(request.query("updateMask")) }
}

/// Nothing, as an object.
struct NoContent: Encodable {}

/// Which part of a list is asked for. A token is the last id of the page before.
struct ListPage {
    let limit: Int
    /// What it comes after.
    let last: String?

    /// - Throws: `INVALID_PAGE_SELECTION` for a token that no page gave out.
    init(_ request: Request, cap: Int = 100) throws(RequestRefusal) {
        let wanted = request.query("pageSize").nonEmpty ?? "20"
        guard let number = Int(wanted), number >= 0 else {
            throw .invalidField("/pageSize", "must be a whole number, not negative")
        }
        limit = number == 0 ? 20 : min(number, cap)
        last = request.query("pageToken").nonEmpty
        let isID = last.map { $0.utf8.count <= 128 && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
        guard isID != false else { throw .rejected(.invalidPageSelection) }
    }

    /// - Returns: the items of this page in the order of their ids, and the token of the next if there is one.
    func part<Item>(of items: [Item], by id: (Item) -> String) -> (items: [Item], next: String?) {
        let sorted = items.sorted { id($0) < id($1) }
        let rest = last.map { last in sorted.filter { id($0) > last } } ?? sorted
        let page = Array(rest.prefix(limit))
        return (page, rest.count > page.count ? page.last.map(id) : nil)
    }
}

/// How the wire names a provider's audiences: the first by itself, all of them in a list of our own.
struct ClientIDsInput {
    let clientId: String?
    let clientIds: [String]?
    /// Apple's.
    var bundleIds: [String]?

    /// The list decides if it is there; else the first and the others, each as it was if it is not said.
    func ids(insteadOf old: [String], where mask: FieldMask) -> [String] {
        if mask.names("clientIds"), let clientIds { return clientIds }
        let kept = mask.isEverything ? [] : old
        let first = mask.names("clientId") ? clientId.nonEmpty : nil
        let others = mask.names("appleSignInConfig.bundleIds") ? bundleIds : nil
        let all = [first ?? kept.first].compactMap { $0 } + (others ?? Array(kept.dropFirst()))
        return all.enumerated().filter { !all[..<$0.offset].contains($0.element) }.map(\.element)
    }
}

extension FieldMask {
    /// What a member that may be absent becomes: absent if it is named and not there.
    func apply<Value>(_ path: String, _ value: Value?, to member: inout Value?) {
        if names(path) { member = value }
    }

    /// What a member that has always a value becomes: the value it starts with if there is no mask and no value.
    func apply<Value>(_ path: String, _ value: Value?, to member: inout Value, initially: Value) {
        guard names(path) else { return }
        if let value { member = value } else if isEverything { member = initially }
    }
}
