public import Identity
internal import Postgres

/// Merges that also sign a user in to the target, which is the account that remains.
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
                // An ID token has proven the target: its session must still be active.
                if let targetSession = signIn.targetSession {
                    let active = try await transaction.query(
                        try .lockSessionIfActive(targetSession, of: target.id, in: realm))
                    guard !active.isEmpty else { throw StoreConflict.stale }
                }
                // A provider's credential has proven the target: the target must still have the identity.
                if let subject = signIn.targetSubject {
                    let valid = try await transaction.query(
                        .lockIdentityIfCredentialIsValid(
                            subject, of: target.id, provider: signIn.method, issuedAt: signIn.credentialIssuedAt,
                            in: realm))
                    guard !valid.isEmpty else { throw StoreConflict.stale }
                }
                if let grant = try SQL.insertAppleGrant(
                    for: merge.code, at: merge.mergedAt, in: realm, forEachRowOf: .singleRow)
                {
                    _ = try await transaction.execute(grant)
                }
                // Admin SDKs reject ID tokens whose `auth_time` is before `validSince`.
                let session = Session(
                    id: signIn.session, account: target.id, generation: target.generation, method: signIn.method,
                    authenticatedAt: max(signIn.authenticatedAt, target.validSince), device: signIn.device,
                    networkHash: signIn.networkHash, credentialIssuedAt: signIn.credentialIssuedAt)
                _ = try await transaction.execute(
                    .openSession(try SessionRow(session), in: realm, forEachRowOf: .singleRow))
                return (target, session)
            }
        }
    }
}
