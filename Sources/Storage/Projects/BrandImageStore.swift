public import Identity
public import Postgres

/// Stores the images of brands in the table `brand_image`.
public struct BrandImageStore: Sendable {
    /// An image that no brand uses is kept for this time, so that its uploader can set it in a brand.
    static let unusedRetention: Duration = .seconds(86_400)
    /// The maximum number of unused images of a project.
    static let unusedLimit = 20

    private let pool: Pool
    private let clock: WallClock

    public init(pool: Pool, clock: WallClock) {
        self.pool = pool
        self.clock = clock
    }

    /// Stores an image of a project, and deletes images that are no longer needed.
    ///
    /// - Returns: `nil` if the project does not exist.
    public func store(_ upload: ImageUpload, of project: ID<Project>, by actor: AuditActor) async throws -> BrandImage?
    {
        let now = clock.now()
        return try await withStoreErrors {
            try await pool.transaction { transaction in
                guard try await transaction.lockConfiguration(of: project) else { return nil }
                let rows = try await transaction.query(
                    """
                    INSERT INTO brand_image (realm_id, id, content, stored_at)
                    VALUES (\(project.rawValue), encode(sha256(\(upload.content)), 'hex'), \(upload.content),
                        \(Timestamp(now)))
                    ON CONFLICT (realm_id, id) DO UPDATE SET stored_at = excluded.stored_at
                    RETURNING id, xmax = 0 AS is_new
                    """)
                guard let id = try rows.first?.decode("id", as: String.self) else { return nil }
                _ = try await transaction.execute(.deleteUnusedImages(of: project, at: now))
                let notes = try rows[0].decode("is_new") ? [AuditNote("brandImage.added", id)] : []
                try await transaction.audit(notes, by: actor, at: now, in: ID(project))
                return BrandImage(id: ID(id), header: upload.header)
            }
        }
    }

    /// Returns the stored images of a project with these IDs.
    public func images(_ ids: [ID<BrandImage>], of project: ID<Project>) async throws -> [BrandImage] {
        guard !ids.isEmpty else { return [] }
        let rows = try await withStoreErrors {
            try await pool.query(
                """
                SELECT id, content FROM brand_image
                WHERE realm_id = \(project.rawValue) AND id = ANY (\(ids.map(\.rawValue)))
                """)
        }
        return try rows.compactMap { row in
            let id = ID<BrandImage>(try row.decode("id"))
            return ImageHeader(try row.decode("content")).map { BrandImage(id: id, header: $0) }
        }
    }

    /// Returns the bytes of an image; `nil` if the project has no such image.
    public func content(of id: ID<BrandImage>, in project: ID<Project>) async throws -> [UInt8]? {
        try await withStoreErrors {
            try await pool.query(
                """
                SELECT content FROM brand_image WHERE realm_id = \(project.rawValue) AND id = \(id.rawValue)
                """)
        }.first?.decode("content")
    }
}

extension SQL {
    /// Deletes the images that no brand of the project has used, or that were stored, more than a day ago, and all but
    /// the newest unused images.
    static func deleteUnusedImages(of project: ID<Project>, at now: Instant) -> SQL {
        """
        WITH brand AS (
            SELECT brand FROM realm WHERE id = \(project.rawValue)
            UNION ALL SELECT settings -> 'brand' FROM app WHERE project_id = \(project.rawValue)),
        unused AS (
            SELECT id, stored_at, row_number() OVER (ORDER BY stored_at DESC, id) AS position FROM brand_image i
            WHERE realm_id = \(project.rawValue) AND NOT EXISTS (
                SELECT FROM brand b, unnest(ARRAY['logo', 'darkLogo', 'favicon']) member
                WHERE b.brand #>> ARRAY[member, 'id'] = i.id))
        DELETE FROM brand_image i USING unused u
        WHERE i.realm_id = \(project.rawValue) AND i.id = u.id
            AND (u.position > \(BrandImageStore.unusedLimit)
                OR u.stored_at < \(Timestamp(now - BrandImageStore.unusedRetention)))
        """
    }
}

extension Transaction {
    /// Checks that the project has stored the images of a changed configuration.
    ///
    /// - Throws: ``ConfigurationRefusal`` for images that are missing.
    func requireImages(of configuration: ProjectConfiguration, since before: ProjectConfiguration) async throws {
        let ids = configuration.imageIDs
        guard ids != before.imageIDs, !ids.isEmpty else { return }
        let stored = try await query(
            """
            SELECT id FROM brand_image
            WHERE realm_id = \(configuration.realm.project.id.rawValue) AND id = ANY (\(ids.sorted()))
            """)
        let missing = ids.subtracting(try stored.map { try $0.decode("id", as: String.self) })
        guard missing.isEmpty else {
            throw ConfigurationRefusal(problems: missing.sorted().map { .brandImage(ID($0)) })
        }
    }
}

extension ProjectConfiguration {
    var imageIDs: Set<String> {
        let brands = [realm.project.brand] + apps.map(\.app.settings.brand)
        return Set(brands.flatMap(\.images).map(\.id.rawValue))
    }
}
