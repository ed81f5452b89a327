public import Identity
internal import Postgres

extension PostgresFederationStore {
    public func merge(_ merge: AccountMerge, in project: ID<Project>) async throws -> Entered {
        do {
            return try await reaching {
                try await pool.transaction { try await carryOut(merge, in: project, $0) }
            }
        } catch is Stale {
            return .stale
        } catch let error as PostgresError where error.uniqueViolation == "used_mark_pkey" {
            return .used
        }
    }

    private func carryOut(
        _ merge: AccountMerge, in project: ID<Project>, _ transaction: Transaction
    ) async throws -> Entered {
        let plan = merge.proposal.plan
        _ = try await transaction.execute(.use(merge.marks, in: project, from: "(VALUES (1)) v"))
        _ = try await transaction.execute(.lock([plan.source, plan.target], in: project))
        let accounts = try await transaction.query(.find([.id(plan.source), .id(plan.target)], in: project))
            .map { try AccountRow.account($0) }
        guard let source = accounts.first(where: { $0.id == plan.source }),
            let target = accounts.first(where: { $0.id == plan.target }),
            source.generation == merge.proposal.sourceGeneration, target.generation == merge.proposal.targetGeneration,
            try MergePlan(of: source, into: target) == plan
        else { throw Stale() }
        let session = Session(
            id: merge.session, account: target.id, generation: target.generation, method: merge.proposal.method,
            authenticatedAt: merge.mergedAt, device: merge.device)
        let opened = try SessionRow(session)
        let event = OutboxEvent(.accountMerged, of: target.id, source: source.id)
        let statements: [SQL] = [
            .keep(source, for: merge, in: project), .moveIdentities(of: source.id, to: target.id, in: project),
            .delete(source.id, by: nil, now: merge.mergedAt, in: project),
            .give(source, to: target, by: plan, at: merge.mergedAt, in: project),
            .opening(opened, in: project, from: "(VALUES (1)) v"),
            .tell(event, at: merge.mergedAt, in: project),
        ]
        for statement in statements { _ = try await transaction.execute(statement) }
        let notes = [
            AuditNote(.merged, target.id, ["source": source.id.rawValue]),
            AuditNote(.merged, source.id, ["target": target.id.rawValue]),
        ]
        try await transaction.audit(notes, by: .user(merge.trace), at: merge.mergedAt, in: project)
        guard let row = try await transaction.query(.find([.id(target.id)], in: project)).first else { throw Stale() }
        return .done(try AccountRow.account(row), session)
    }
}

extension SQL {
    /// In the order of ids, so that two who merge the same accounts do not wait for each other.
    fileprivate static func lock(_ accounts: [ID<Account>], in project: ID<Project>) -> SQL {
        """
        SELECT id FROM account WHERE project_id = \(project.rawValue) AND id = ANY (\(accounts.map(\.rawValue)))
        ORDER BY id FOR UPDATE
        """
    }

    /// Everything that bringing the source back takes.
    fileprivate static func keep(_ source: Account, for merge: AccountMerge, in project: ID<Project>) -> SQL {
        """
        INSERT INTO account_merge (project_id, source_id, target_id, merged_at, undo_until, target_generation, snapshot)
        SELECT a.project_id, a.id, \(merge.proposal.plan.target.rawValue), \(Timestamp(merge.mergedAt)),
            \(Timestamp(merge.undoableUntil)), \(merge.proposal.targetGeneration),
            jsonb_build_object('account', to_jsonb(a), 'identities', (SELECT coalesce(jsonb_agg(to_jsonb(l)), '[]')
                FROM linked_identity l WHERE l.project_id = a.project_id AND l.account_id = a.id))
        FROM account a WHERE a.project_id = \(project.rawValue) AND a.id = \(source.id.rawValue)
        """
    }

    fileprivate static func moveIdentities(
        of source: ID<Account>, to target: ID<Account>, in project: ID<Project>
    ) -> SQL {
        """
        UPDATE linked_identity SET account_id = \(target.rawValue)
        WHERE project_id = \(project.rawValue) AND account_id = \(source.rawValue)
        """
    }

    /// The source is gone by now; its password is in what was kept of it.
    fileprivate static func give(
        _ source: Account, to target: Account, by plan: MergePlan, at now: Instant, in project: ID<Project>
    ) -> SQL {
        """
        UPDATE account a SET
            email = CASE WHEN \(plan.movesEmail) THEN \(source.email?.rawValue) ELSE a.email END,
            email_verified = CASE WHEN \(plan.movesEmail) THEN \(source.emailIsVerified) ELSE a.email_verified END,
            password_hash = CASE WHEN \(plan.movesEmail) THEN m.snapshot #>> '{account,password_hash}'
                ELSE a.password_hash END,
            password_updated_at = CASE WHEN \(plan.movesEmail) THEN \(source.passwordUpdatedAt.map { Timestamp($0) })
                ELSE a.password_updated_at END,
            phone_number = CASE WHEN \(plan.movesPhoneNumber) THEN \(source.phoneNumber) ELSE a.phone_number END,
            display_name = CASE WHEN \(plan.movesDisplayName) THEN \(source.displayName) ELSE a.display_name END,
            photo_url = CASE WHEN \(plan.movesPhoto) THEN \(source.photoURL) ELSE a.photo_url END,
            last_sign_in_at = \(Timestamp(now))
        FROM account_merge m
        WHERE a.project_id = \(project.rawValue) AND a.id = \(target.id.rawValue)
            AND m.project_id = a.project_id AND m.source_id = \(source.id.rawValue)
        """
    }
}
