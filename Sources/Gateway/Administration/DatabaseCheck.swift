internal import API
package import Crypto
package import Identity
package import Postgres
internal import Providers
internal import Storage
internal import Tokens

/// The database checks of `sekisho check`, in order. If a check fails, and all later checks depend on it, the run ends.
package struct DatabaseCheck: Sendable {
    package struct Finding: Sendable {
        package let isGood: Bool
        /// Whether the text is information for the operator, and not the result of a check.
        package let isNote: Bool
        package let text: String

        package init(isGood: Bool, isNote: Bool = false, text: String) {
            self.isGood = isGood
            self.isNote = isNote
            self.text = text
        }
    }

    let pool: Pool
    let masterKeys: MasterKeys
    /// The connections of a gateway; `nil` if PostgreSQL's limit does not apply, because a connection pooler has its
    /// own.
    private let budget: ConnectionBudget?

    package init(pool: Pool, masterKeys: MasterKeys, budget: ConnectionBudget? = nil) {
        self.pool = pool
        self.masterKeys = masterKeys
        self.budget = budget
    }

    package func findings(at now: Instant) async -> [Finding] {
        var findings: [Finding] = []
        do {
            if let problem = await pool.reachabilityProblem() {
                return [Finding(isGood: false, text: "database not reachable: check DATABASE_URL; \(problem)")]
            }
            findings.append(Finding(isGood: true, text: "database reachable"))
            findings += try await clock()
            findings += try await connections()
            let unapplied = try await Schema.status(of: pool).filter { $0.state != .applied }
            guard unapplied.isEmpty else {
                let names = unapplied.map { "\($0.name) is \($0.state)" }.joined(separator: ", ")
                let advice =
                    unapplied.contains { $0.state == .changed }
                    ? "another build of sekisho migrated this database: use that build, or another database"
                    : "run `sekisho migrate`"
                return findings + [Finding(isGood: false, text: "migrations: \(names); \(advice)")]
            }
            findings.append(Finding(isGood: true, text: "database migrated"))
            findings += try await installation()
            let store = ProjectStore(pool: pool, supporting: .live)
            let enrolled = Dictionary(grouping: try await EnrolledAccounts.all(in: pool), by: \.realm)
            for realm in try await store.projectRealms() {
                let project = realm.project
                let tenants = project.hasTenants ? try await store.tenantsWithSignInMethods(of: project.id) : []
                findings.append(try await signingKeys(of: project.id, at: now))
                findings += try await configuration(of: realm, tenants, at: now)
                findings += textMessages(of: realm, tenants, enrolled)
                for realm in [realm] + tenants {
                    findings += try await unfinishedTransfers(of: realm)
                    findings += secondFactors(of: realm, enrolled[realm.id] ?? [])
                }
            }
            findings += try await sharedHosts()
            findings += try await consolePasskeys()
        } catch {
            findings.append(Finding(isGood: false, text: Failure(explaining: error).message))
        }
        return findings
    }

    /// Lists people who cannot enter the console, because it accepts none of their passkeys and they have no
    /// authenticator app.
    private func consolePasskeys() async throws -> [Finding] {
        try await PostgresAdministratorStore(pool: pool).peopleWithoutAcceptedPasskey()
            .sorted { $0.key < $1.key }.map { realm, count in
                let people = count == 1 ? "1 person has" : "\(count) people have"
                return Finding(
                    isGood: false,
                    text:
                        "project \(realm): \(people) a role in the console and only passkeys that it does not accept: enable passkeys with the RP ID of these passkeys, or remove the passkeys and invite the people again"
                )
            }
    }

    /// Lists a difference of this machine's clock from PostgreSQL's. A gateway whose clock is wrong issues ID tokens
    /// that backends reject.
    private func clock() async throws -> [Finding] {
        let lead = try await DatabaseProbe(of: pool).clockLead
        return lead.flatMap(ClockDifference.init(lead:)).map { difference in
            [Finding(isGood: false, text: "clock of this machine: \(difference): synchronise both clocks")]
        } ?? []
    }

    /// Compares the number of connections with what PostgreSQL allows, for several gateways.
    private func connections() async throws -> [Finding] {
        guard let budget else { return [] }
        let capacity = try await ConnectionCapacity(of: pool)
        if budget.isDefault { budget.lower(to: capacity.perGateway) }
        let count = capacity.connections / max(1, budget.connections)
        let (isGood, isNote, judgement) =
            switch count {
            case 0: (false, false, "lower SEKISHO_DATABASE_CONNECTIONS, or raise max_connections")
            case 1: (true, true, "too many for two gateways, as during a restart")
            default: (true, false, "enough for \(count) gateways")
            }
        return [
            Finding(
                isGood: isGood, isNote: isNote,
                text:
                    "database connections: PostgreSQL allows \(capacity.connections), and a gateway uses at most \(budget.connections): \(judgement)"
            )
        ]
    }

    private func installation() async throws -> [Finding] {
        guard let installation = try await InstallationStore(pool: pool).current() else {
            return [Finding(isGood: true, text: "database not in use yet")]
        }
        let isForServe = installation.mode == .serve
        let isMasterKeyValid = Canary.isEncrypted(installation.canary, under: masterKeys)
        return [
            Finding(
                isGood: isForServe,
                text: "database belongs to sekisho \(installation.mode)" + (isForServe ? "" : ": use another database")),
            Finding(
                isGood: isMasterKeyValid,
                text: isMasterKeyValid
                    ? "master key decrypts the secrets"
                    : "master key is not the one that the database was created with: check SEKISHO_MASTER_KEY"),
        ]
    }
}
