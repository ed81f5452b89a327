internal import Identity

extension EndpointCall {
    /// Returns the stored configuration of the administrator's project or tenant.
    func configuration(for administrator: Administrator) async throws -> ProjectConfiguration {
        guard let configuration = try await services.projects.editor.configuration(administrator.realm.id) else {
            throw RequestRefusal.notFound
        }
        return configuration
    }

    /// Changes and stores the configuration of the administrator's project or tenant.
    ///
    /// - Parameter discardingIdentities: what happens to the identities of a provider's former issuers if the change
    ///   sets another issuer. `true` unlinks them. `false` rejects the change if there are any.
    /// - Returns: the configuration after the change.
    /// - Throws: the errors of ``ProjectEditor``, and ``AccessRefusal`` if the administrator's key lacks the scope to
    ///   unlink identities.
    func editConfiguration(
        as administrator: Administrator, discardingIdentities: Bool = false, _ change: @escaping ProjectEditor.Change
    ) async throws -> ProjectConfiguration {
        var permissions: EditPermissions = administrator.scopes.allows(.trust) ? .changeTrust : []
        if discardingIdentities {
            try administrator.require(.linkUsers)
            permissions.insert(.discardIdentities)
        }
        let configuration = try await services.projects.editor.edit(
            administrator.realm.id, administrator.actor, permissions, change)
        guard let configuration else { throw RequestRefusal.notFound }
        return configuration
    }
}
