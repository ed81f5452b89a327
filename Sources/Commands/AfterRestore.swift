internal import Crypto
internal import Encoding
internal import Gateway
internal import Identity
internal import Providers
internal import Storage
internal import Tokens

extension Command {
    static let afterRestore = Command(
        words: ["after-restore"],
        summary: "Repeat the revocations that a restored backup does not contain",
        options: [
            .text(
                "backup-time", "TIME", "UTC time from which the database was restored, such as 2026-01-31T12:00:00Z",
                isRequired: true),
            .text(
                "audit", "FILE",
                "audit events that `sekisho audit export` printed before the loss, with --project and for a tenant --tenant; - reads standard input"
            ),
            .text("project", "ID", "project of the audit events; only with --audit"), .tenant, .yes,
        ],
        details: [
            "Run this command before you start the gateway with the restored database. It replaces the keys that sign the ID tokens and session cookies of every project, and removes waiting emails and codes that the backup has. Sessions of the backup stay valid.",
            "With --audit, the command repeats what happened after the backup: it deletes and disables accounts, ends sessions, unlinks identities, removes passkeys, second factors and roles of the console, and revokes keys. A password that was changed is removed, so that its owner has to reset it. An account whose address changed is disabled and listed, because the backup has the old address, whose mailbox must not get the account; so is one whose second factor was replaced. Run the command for each exported file; it can be repeated.",
        ],
        environment: ["DATABASE_URL", "SEKISHO_MASTER_KEY"]
    ) { arguments in
        let backup = try arguments.backupTime()
        let exported = try arguments.exportedEvents(after: backup)
        try arguments.requireConfirmation("Revoke what was revoked after \(backup.iso8601)?")
        try Administration.runWithKeys { administration, masterKeys in
            try await administration.replaceSigningKeys(olderThan: backup, under: masterKeys)
            let removed = try await RestoredDatabase(pool: administration.pool).removeStaleEmail(from: backup)
            Terminal.writeLine("removed \(removed.emails) waiting emails and \(removed.codes) codes")
            guard let exported else { return Terminal.writeLine(unknownWithoutAudit) }
            try await administration.repair(RestoreRepairs(exported.events, after: backup), in: exported.realm)
        }
    }

    private static let unknownWithoutAudit = """
        Without --audit, this command cannot know what users and administrators revoked after the backup:
        deleted and disabled accounts, changed passwords and addresses, ended sessions, unlinked identities, removed passkeys, second factors and \
        roles of the console (see `sekisho administrators list`) and revoked keys are as they were.
        """
}

extension Arguments {
    fileprivate func backupTime() throws(UsageError) -> Instant {
        let text = try text("backup-time")
        guard let time = Instant(iso8601: text) else {
            throw UsageError(
                message: "--backup-time: expected a UTC time such as 2026-01-31T12:00:00Z, got \"\(text)\"")
        }
        return time
    }

    /// Returns the events of `--audit` that occurred after the backup, with their realm; `nil` without `--audit`.
    fileprivate func exportedEvents(after backup: Instant) throws -> (realm: ID<Realm>, events: [AuditEvent])? {
        guard let path = optionalText("audit") else {
            // Without events, the command repairs every project: one must not seem to be selected.
            guard optionalText("project") == nil, optionalText("tenant") == nil else {
                throw UsageError(
                    message:
                        "--project and --tenant name the realm of --audit: without --audit, the command replaces the signing keys of every project, so omit them"
                )
            }
            return nil
        }
        return (try realm(), try ExportedAuditEvents(path: path).events())
    }
}

extension Administration {
    /// Replaces the key that signs ID tokens, in every project whose newest key is in the backup.
    fileprivate func replaceSigningKeys(olderThan backup: Instant, under masterKeys: MasterKeys) async throws {
        let now = clock.now()
        let store = SigningKeyStore(pool: pool)
        for realm in try await projects.projectRealms() {
            let project = realm.project
            let keys = try await store.unretiredKeys(in: project.id, at: now).filter { $0.purpose == .idToken }
            guard let newest = keys.max(by: { $0.createdAt < $1.createdAt }), newest.createdAt <= backup else {
                continue
            }
            let algorithm = SignatureAlgorithm(rawValue: newest.algorithm) ?? .es256
            let key = try KeyGenerator(masterKeys: masterKeys)
                .idTokenKey(algorithm, in: project.id, at: now, signsFrom: now)
            // No gateway uses this database yet, so the old keys need no time in which their tokens are still accepted.
            try await store.add(key, othersRetireAt: now - KeyRing.acceptanceAfterRetirement, in: project.id)
            Terminal.writeLine("\(project.id): replaced the signing key by \(key.id)")
        }
    }

    fileprivate func repair(_ repairs: RestoreRepairs, in id: ID<Realm>) async throws {
        let realm = try await requireRealm(id)
        for (account, repair) in repairs.accounts.sorted(by: { $0.key < $1.key }) {
            guard let account = try await accounts.find([.id(account)], in: realm).first else { continue }
            for line in try await apply(repair, to: account, in: realm) { Terminal.writeLine("\(id): \(line)") }
        }
        try await limitRoles(of: repairs, in: id.project)
        try await revokeKeys(of: repairs, in: id.project)
        for (action, count) in repairs.lost.sorted(by: { $0.key < $1.key }) {
            let accounts = repairs.unrepaired[action, default: []].map(\.rawValue).sorted()
            let list = accounts.isEmpty ? "" : " (accounts: \(accounts.joined(separator: ", ")))"
            Terminal.writeLine("\(id): could not repeat \(count) × \(action)\(list)")
        }
    }

    /// - Returns: what was done, for the operator.
    private func apply(
        _ repair: RestoreRepairs.Account, to account: Account, in realm: Realm
    ) async throws -> [String] {
        let lostLastFactor = repair.lostLastFactor(of: account)
        if repair.isDeleted || repair.isDisabled || repair.changedOwner || lostLastFactor
            || repair.endsAdministration(of: account)
        {
            // The roles end first, because the account must go even if it is the last owner of the backup.
            let hadRole = try await RestoredDatabase(pool: pool).removeRoles(
                of: account.id, at: clock.now(), in: realm.id)
            if hadRole { Terminal.writeLine("\(realm.id): removed the roles of \(account.id)") }
        }
        if repair.isDeleted {
            try await accounts.delete(account.id, in: realm, by: .commandLine)
            return ["deleted the account \(account.id)"]
        }
        var lines: [String] = []
        var input = AccountAdministration.Input()
        if repair.changedOwner || repair.isDisabled || lostLastFactor, !account.isDisabled {
            input.change.update.isDisabled = true
            let reason = repair.changedOwner ? ", whose address changed" : ", whose second factor changed"
            lines.append(
                "disabled the account \(account.id)" + (repair.changedOwner || lostLastFactor ? reason : ""))
        }
        lines += removeFactors(of: account, by: repair, &input)
        if repair.lostPassword, account.hasPassword {
            input.change.update.passwordHash = .remove
            lines.append("removed the password of the account \(account.id)")
        }
        if repair.endsSessions {
            input.change.update.validSince = clock.now()
            lines.append("ended the sessions of the account \(account.id)")
        }
        input.change.unlinked = repair.unlinked.intersection(account.identities.map(\.provider))
        for provider in input.change.unlinked.map(\.rawValue).sorted() {
            lines.append("unlinked \(provider) from the account \(account.id)")
        }
        if !lines.isEmpty {
            _ = try await accounts.update(account.id, input, in: realm, from: .commandLine, by: .commandLine)
        }
        if !repair.endsSessions, !repair.endedSessions.isEmpty {
            try await RestoredDatabase(pool: pool).end(
                repair.endedSessions, of: account.id, recording: realm.recording(by: .commandLine), at: clock.now(),
                in: realm.id)
            let count = repair.endedSessions.count
            lines.append("ended \(count) \(count == 1 ? "session" : "sessions") of the account \(account.id)")
        }
        return lines
    }

    /// Adds the removal of passkeys and second factors to `input`.
    ///
    /// - Returns: what is removed, for the operator.
    private func removeFactors(
        of account: Account, by repair: RestoreRepairs.Account, _ input: inout AccountAdministration.Input
    ) -> [String] {
        var lines: [String] = []
        input.change.removedPasskeys = repair.removedPasskeys.intersection(account.passkeys.map(\.id))
        for passkey in input.change.removedPasskeys.map(\.rawValue).sorted() {
            lines.append("removed the passkey \(passkey) of the account \(account.id)")
        }
        input.change.keptFactors = repair.keptFactors(of: account)
        if let kept = input.change.keptFactors {
            let count = account.secondFactors.factors.count - kept.count
            lines.append("removed \(count) second \(count == 1 ? "factor" : "factors") of the account \(account.id)")
        }
        return lines
    }

    private func limitRoles(of repairs: RestoreRepairs, in project: ID<Project>) async throws {
        for (account, role) in repairs.roles.sorted(by: { $0.key < $1.key })
        where try await RestoredDatabase(pool: pool).limit(account, to: role, in: project, at: clock.now()) {
            Terminal.writeLine(
                "\(project): "
                    + (role.map { "reduced the role of \(account) to \($0.rawValue)" }
                        ?? "removed the role of \(account)"))
        }
    }

    private func revokeKeys(of repairs: RestoreRepairs, in project: ID<Project>) async throws {
        let now = clock.now()
        for id in repairs.revokedAPIKeys where try await APIKeyStore(pool: pool).revoke(id, in: project, at: now) {
            Terminal.writeLine("\(project): revoked the API key \(id)")
        }
        for id in repairs.revokedServiceKeys
        where try await ServiceKeyStore(pool: pool).revoke(id, in: project, at: now) {
            Terminal.writeLine("\(project): revoked the service key \(id)")
        }
        let tenants = PostgresTenantStore(pool: pool, supporting: .live)
        for id in repairs.removedTenants
        where try await tenants.delete(id, by: .commandLine, at: now, in: project) {
            Terminal.writeLine("\(project): deleted the tenant \(id)")
        }
    }
}
