public import Identity
public import Postgres

/// Stores the encrypted keys that sign the gateway's ID tokens and refresh tokens.
public struct SigningKeyStore: Sendable {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Returns the keys that are not retired at `now`, sorted by ``StoredKey/signsFrom``, the latest first.
    public func unretiredKeys(in project: ID<Project>, at now: Instant) async throws -> [StoredKey] {
        try await keys(
            """
            WHERE project_id = \(project.rawValue) AND (retires_at IS NULL OR retires_at > \(Timestamp(now)))
            ORDER BY signs_from DESC, id
            """
        ).map(\.key)
    }

    /// Returns the keys that are not retired, or were retired after `time`, with the times at which they begin to sign
    /// and retire by the clock of this machine, which may differ from PostgreSQL's. Gateways therefore replace a key at
    /// the same time.
    ///
    /// - Parameter time: by the clock of the gateway, which `dev` and tests set.
    public func keysByThisClock(in project: ID<Project>, retiredAfter time: Instant) async throws -> [StoredKey] {
        let lead: SQL = "(\(Timestamp(.machineNow)) - statement_timestamp())"
        return try await keys(
            """
            WHERE project_id = \(project.rawValue) AND (retires_at IS NULL OR retires_at + \(lead) > \(Timestamp(time)))
            ORDER BY signs_from DESC, id
            """, delayedBy: lead
        ).map(\.key)
    }

    /// Returns the keys of all projects, including retired keys.
    public func all() async throws -> [(project: ID<Project>, key: StoredKey)] {
        try await keys("ORDER BY project_id, created_at, id")
    }

    /// Inserts `key`.
    ///
    /// - Parameter othersRetireAt: when the project's other keys with the same purpose retire, unless an earlier time
    ///   is already stored for them; `nil` does not change them.
    public func add(_ key: StoredKey, othersRetireAt: Instant?, in project: ID<Project>) async throws {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                if let othersRetireAt {
                    _ = try await transaction.execute(
                        """
                        UPDATE signing_key SET retires_at = least(retires_at, \(Timestamp(othersRetireAt)))
                        WHERE project_id = \(project.rawValue) AND purpose = \(key.purpose.rawValue)
                        """)
                }
                _ = try await transaction.execute(.insert(key, in: project))
                let note = AuditNote("signingKey.added", key.id, ["purpose": key.purpose.rawValue])
                try await transaction.audit([note], by: .commandLine, at: key.createdAt, in: ID(project))
            }
        }
    }

    /// Replaces the encrypted form of `key`, unless another process has replaced it first.
    public func reseal(_ key: StoredKey, as sealed: [UInt8], in project: ID<Project>) async throws {
        _ = try await withStoreErrors {
            try await pool.execute(
                """
                UPDATE signing_key SET private_key = \(sealed)
                WHERE project_id = \(project.rawValue) AND id = \(key.id) AND private_key = \(key.sealedPrivateKey)
                """)
        }
    }

    /// - Parameters:
    ///   - clauses: the clauses after `FROM`.
    ///   - delay: an interval that is added to the times at which keys begin to sign and retire.
    private func keys(
        _ clauses: SQL, delayedBy delay: SQL = "interval '0'"
    ) async throws -> [(project: ID<Project>, key: StoredKey)] {
        let statement: SQL = """
            SELECT project_id, id, purpose, algorithm, private_key, certificate, created_at,
                signs_from + \(delay) AS signs_from, retires_at + \(delay) AS retires_at
            FROM signing_key \(clauses)
            """
        return try await withStoreErrors { try await pool.query(statement) }.map { row in
            (ID(try row.decode("project_id")), try StoredKey(row))
        }
    }
}

extension SQL {
    static func insert(_ key: StoredKey, in project: ID<Project>) -> SQL {
        """
        INSERT INTO signing_key
            (project_id, id, purpose, algorithm, private_key, certificate, created_at, signs_from, retires_at)
        VALUES (\(project.rawValue), \(key.id), \(key.purpose.rawValue), \(key.algorithm), \(key.sealedPrivateKey),
            \(key.certificate), \(Timestamp(key.createdAt)), \(Timestamp(key.signsFrom)),
            \(key.retiresAt.map { Timestamp($0) }))
        """
    }
}

/// The database contains a signing key for a purpose that this release does not know.
struct UnknownKeyPurpose: Error, CustomStringConvertible {
    let name: String
    let key: String

    var description: String { "table signing_key, row \(key): unknown purpose \"\(name)\"" }
}

extension StoredKey {
    fileprivate init(_ row: Row) throws {
        let name = try row.decode("purpose", as: String.self)
        guard let purpose = Purpose(rawValue: name) else {
            throw UnknownKeyPurpose(name: name, key: try row.decode("id"))
        }
        self.init(
            id: try row.decode("id"), purpose: purpose, algorithm: try row.decode("algorithm"),
            sealedPrivateKey: try row.decode("private_key"), certificate: try row.decode("certificate"),
            createdAt: Instant(try row.decode("created_at")), signsFrom: Instant(try row.decode("signs_from")),
            retiresAt: try row.decode("retires_at", as: Timestamp?.self).map(Instant.init))
    }
}
