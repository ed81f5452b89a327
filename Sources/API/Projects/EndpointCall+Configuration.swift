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
}
