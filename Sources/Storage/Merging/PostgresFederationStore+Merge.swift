public import Identity
internal import Postgres

extension PostgresFederationStore {
    public func hasRecoveryCode(
        _ account: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) async throws -> Bool {
        try await !withStoreErrors { try await pool.query(.recoveries(of: [account], at: now, in: realm)) }.isEmpty
    }

    public func merge(
        _ merge: AccountMerge, opening commit: MergeCommit, announcing notices: MergeNotices, in realm: ID<Realm>
    ) async throws -> (account: Account, session: Session) {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                let target = try await transaction.apply(
                    merge, signsIn: true, by: .user(commit.trace), announcing: notices, in: realm)
                if let proof = commit.targetSession {
                    let active = try await transaction.query(try .lockIfActive(proof, of: target.id, in: realm))
                    guard !active.isEmpty else { throw StoreConflict.stale }
                }
                if let subject = commit.targetSubject {
                    let valid = try await transaction.query(
                        .validIdentity(
                            subject, of: target.id, provider: commit.method, issuedAt: commit.credentialIssuedAt,
                            in: realm))
                    guard !valid.isEmpty else { throw StoreConflict.stale }
                }
                if let code = try SQL.insertCode(
                    merge.code, at: merge.mergedAt, in: realm, from: "(VALUES (1)) v")
                {
                    _ = try await transaction.execute(code)
                }
                let session = Session(
                    id: commit.session, account: target.id, generation: target.generation, method: commit.method,
                    authenticatedAt: max(commit.authenticatedAt, target.validSince), device: commit.device,
                    networkHash: commit.networkHash, credentialIssuedAt: commit.credentialIssuedAt)
                _ = try await transaction.execute(
                    .openSession(try SessionRow(session), in: realm, from: "(VALUES (1)) v"))
                return (target, session)
            }
        }
    }
}
