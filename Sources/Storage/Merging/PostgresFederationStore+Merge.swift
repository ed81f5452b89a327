public import Identity
internal import Postgres

extension PostgresFederationStore {
    public func hasRecoveryCode(
        _ account: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) async throws -> Bool {
        try await !withStoreErrors { try await pool.query(.recoveries(of: [account], at: now, in: realm)) }.isEmpty
    }

    public func merge(
        _ merge: AccountMerge, with signIn: MergeSignIn, announcing notices: MergeNotices, in realm: ID<Realm>
    ) async throws -> (account: Account, session: Session) {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                let target = try await transaction.apply(
                    merge, signsIn: true, by: .user(signIn.trace), announcing: notices, in: realm)
                if let proof = signIn.targetSession {
                    let active = try await transaction.query(try .lockIfActive(proof, of: target.id, in: realm))
                    guard !active.isEmpty else { throw StoreConflict.stale }
                }
                if let subject = signIn.targetSubject {
                    let valid = try await transaction.query(
                        .validIdentity(
                            subject, of: target.id, provider: signIn.method, issuedAt: signIn.credentialIssuedAt,
                            in: realm))
                    guard !valid.isEmpty else { throw StoreConflict.stale }
                }
                if let code = try SQL.insertCode(
                    merge.code, at: merge.mergedAt, in: realm, from: .singleRow)
                {
                    _ = try await transaction.execute(code)
                }
                let session = Session(
                    id: signIn.session, account: target.id, generation: target.generation, method: signIn.method,
                    authenticatedAt: max(signIn.authenticatedAt, target.validSince), device: signIn.device,
                    networkHash: signIn.networkHash, credentialIssuedAt: signIn.credentialIssuedAt)
                _ = try await transaction.execute(
                    .openSession(try SessionRow(session), in: realm, from: .singleRow))
                return (target, session)
            }
        }
    }
}
