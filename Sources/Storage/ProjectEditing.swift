public import Identity
internal import Postgres

extension ProjectStore {
    /// See ``ProjectEditor/edit``.
    public func edit(
        _ id: ID<Project>, _ change: @escaping @Sendable (inout Project) throws -> Void
    ) async throws -> Project? {
        try await reaching {
            try await pool.transaction { transaction in
                let rows = try await transaction.query(Self.projects("WHERE p.id = \(id.rawValue) FOR UPDATE"))
                guard var project = try rows.first.map(Project.init) else { return nil }
                let before = project
                try change(&project)
                guard project != before else { return project }
                let policy = try PolicyColumn.json(project.policy, of: project.profile)
                _ = try await transaction.execute(
                    """
                    UPDATE project SET policy = \(policy)::text::jsonb,
                        authorized_domains = \(project.authorizedDomains)
                    WHERE id = \(id.rawValue)
                    """)
                return project
            }
        }
    }
}
