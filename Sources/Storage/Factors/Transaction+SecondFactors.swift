internal import Identity
internal import Postgres

extension Transaction {
    /// Requires that the account is as the blocking functions saw it. Uses up the second factor of a sign-in and its
    /// pending credential. Does nothing if the sign-in has neither. Locks the account first, like every change of its
    /// factors.
    ///
    /// - Throws: ``ChangedDuringHooks``, ``FactorRefusal/invalidPendingCredential``, ``FactorRefusal/invalidCode``.
    func beginOpening(of session: NewSession, in realm: ID<Realm>) async throws {
        try await requireUnchangedForHooks(session, in: realm)
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
        case .phone(let factor, let proof):
            let using = SQL.use(factor, number: proof.number, of: account, at: now, in: realm)
            guard try await execute(using) == 1 else { throw FactorRefusal.factorUnknown }
            do {
                try await consume(proof.consumed, at: now, in: realm)
            } catch StoreConflict.alreadyUsed {
                throw FactorRefusal.invalidSessionInfo
            }
        case .recoveryCode(let hash):
            guard try await execute(.consume(recoveryCode: hash, of: account, in: realm)) == 1 else {
                throw FactorRefusal.invalidCode
            }
        }
        try await record(use.events, by: use.recording, at: now, in: realm)
        try await enqueue(use.emailBatch, in: realm)
    }

    /// Removes the factors of an account except `kept`, which it may rename, and enrols those of `kept` that the
    /// account does not have. The caller has locked the account.
    ///
    /// A factor that gets another number is removed and enrolled again. Sessions that were opened with it no longer
    /// have a second factor, because the former number may belong to a lost phone.
    ///
    /// - Throws: ``FactorRefusal/factorUnknown`` unless the account has each of `kept`.
    func keepFactors(
        _ kept: [KeptFactor], of account: Account, recording: EventRecording, at now: Instant, in realm: ID<Realm>
    ) async throws {
        let unchanged = kept.filter { factor in
            account.secondFactors.factor(factor.id).map { $0.phoneNumber == factor.phoneNumber } ?? false
        }
        let removed = try await query(.removeFactors(of: account.id, except: unchanged.map(\.id), in: realm))
        for factor in unchanged {
            guard try await execute(.rename(factor, of: account.id, in: realm)) == 1 else {
                throw FactorRefusal.factorUnknown
            }
        }
        var added: [AccountEvent] = []
        for factor in kept where !unchanged.contains(where: { $0.id == factor.id }) {
            let former = account.secondFactors.factor(factor.id)
            // A one-time password must already be enrolled, and an administrator cannot turn it into a number.
            guard let number = factor.phoneNumber, former?.kind != .totp else { throw FactorRefusal.factorUnknown }
            let new = Factor(
                id: factor.id, kind: .phone, phoneNumber: number,
                displayName: factor.displayName ?? former?.displayName, enrolledAt: now)
            guard try await execute(.insert(new, of: account.id, in: realm)) == 1 else {
                throw FactorRefusal.duplicateID
            }
            if former != nil { _ = try await execute(.forget(factor.id, ofSessionsOf: account.id, in: realm)) }
            added.append(.adding(.phone, factor.id, to: account.id))
        }
        try await finishRemoval(
            of: removed, from: account.id, codesCreatedSince: kept.isEmpty ? nil : .latest, recording: recording,
            at: now, in: realm)
        try await record(added, by: recording, at: now, in: realm)
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

    /// Removes the factors of an account except `kept`. The caller has locked the account.
    func removeFactors(
        of account: ID<Account>, except kept: [ID<Factor>], keepsRecoveryCodes: Bool, recording: EventRecording,
        at now: Instant, in realm: ID<Realm>
    ) async throws {
        let removed = try await query(.removeFactors(of: account, except: kept, in: realm))
        try await finishRemoval(
            of: removed, from: account, codesCreatedSince: keepsRecoveryCodes ? .latest : nil, recording: recording,
            at: now, in: realm)
    }

    /// - Parameter removed: rows with the `id` and the `kind` of the removed factors.
    private func finishRemoval(
        of removed: [Row], from account: ID<Account>, codesCreatedSince since: Instant?, recording: EventRecording,
        at now: Instant, in realm: ID<Realm>
    ) async throws {
        _ = try await execute(.removeRecoveryCodes(of: account, createdSince: since, in: realm))
        if try await countFactors(of: account, by: recording.actor, at: now, in: realm) {
            _ = try await execute(.endAdministratorSessions(of: account, at: now, in: realm))
        }
        let factors = try removed.map { row in
            (kind: Factor.Kind(rawValue: try row.decode("kind")) ?? .totp, id: ID<Factor>(try row.decode("id")))
        }
        try await record(AccountEvent.removing(factors, from: account), by: recording, at: now, in: realm)
    }
}
