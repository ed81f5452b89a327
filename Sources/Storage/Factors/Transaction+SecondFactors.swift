internal import Identity
internal import Postgres

extension Transaction {
    /// Uses up the second factor of a sign-in, and its pending credential. Does nothing if the sign-in has none. Locks
    /// the account first, like every change of its factors.
    ///
    /// - Throws: ``FactorRefusal/invalidPendingCredential``, ``FactorRefusal/invalidCode``.
    func consumeSecondFactor(of session: NewSession, in realm: ID<Realm>) async throws {
        guard let use = session.secondFactorUse else { return }
        let (account, now) = (session.account, session.openedAt)
        _ = try await execute(.lock([account], in: realm))
        guard try await execute(.consume(ifUnused: use.pendingCredential, in: realm)) == 1 else {
            throw FactorRefusal.invalidPendingCredential
        }
        switch use.proof {
        case .totp(let factor, let step):
            let consuming = SQL.consume(step: step, of: factor, of: account, at: now, in: realm)
            guard try await execute(consuming) == 1 else { throw FactorRefusal.invalidCode }
        case .recoveryCode(let hash):
            guard try await execute(.consume(recoveryCode: hash, of: account, in: realm)) == 1 else {
                throw FactorRefusal.invalidCode
            }
        }
        try await record(use.events, by: use.recording, at: now, in: realm)
        try await enqueue(use.emailBatch, in: realm)
    }

    /// Removes the factors of an account except `kept`, which it may rename. The caller has locked the account.
    ///
    /// - Throws: ``FactorRefusal/factorUnknown`` unless the account has each of `kept`.
    func keepFactors(
        _ kept: [KeptFactor], of account: Account, recording: EventRecording, at now: Instant, in realm: ID<Realm>
    ) async throws {
        for factor in kept {
            guard try await execute(.rename(factor, of: account.id, in: realm)) == 1 else {
                throw FactorRefusal.factorUnknown
            }
        }
        let removed = try await query(.removeFactors(of: account.id, except: kept.map(\.id), in: realm))
        try await finishRemoval(
            of: removed, from: account.id, codesCreatedSince: kept.isEmpty ? nil : .latest, recording: recording,
            at: now, in: realm)
    }

    /// Removes the factors of an account that were enrolled since `since`, and the recovery codes that were created
    /// since then. The caller has locked the account.
    func removeFactors(
        of account: Account, enrolledSince since: Instant?, recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws {
        let removed = try await query(.removeFactors(of: account.id, enrolledSince: since, in: realm))
        try await finishRemoval(
            of: removed, from: account.id, codesCreatedSince: since, recording: recording, at: now,
            in: realm)
    }

    /// - Parameter removed: rows with the `id` and the `kind` of the removed factors.
    private func finishRemoval(
        of removed: [Row], from account: ID<Account>, codesCreatedSince since: Instant?, recording: EventRecording,
        at now: Instant, in realm: ID<Realm>
    ) async throws {
        _ = try await execute(.removeRecoveryCodes(of: account, createdSince: since, in: realm))
        _ = try await execute(.countFactors(of: account, in: realm))
        let factors = try removed.map { row in
            (kind: Factor.Kind(rawValue: try row.decode("kind")) ?? .totp, id: ID<Factor>(try row.decode("id")))
        }
        try await record(AccountEvent.removing(factors, from: account), by: recording, at: now, in: realm)
    }
}
