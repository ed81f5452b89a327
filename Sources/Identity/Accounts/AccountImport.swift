extension AccountAdministration {
    /// An account to be brought in from elsewhere; its members have been checked.
    public struct Import: Sendable {
        public var account: Account
        public var password: Secret?
        /// Made elsewhere, as ``KeptPasswordScheme`` has it stored; goes before ``password``.
        public var passwordHash: String?

        public init(account: Account, password: Secret? = nil, passwordHash: String? = nil) {
            self.account = account
            self.password = password
            self.passwordHash = passwordHash
        }
    }

    /// Puts a scheme's key where sign-ins find it.
    public func keep(_ scheme: PasswordScheme, in project: Project) async throws -> KeptPasswordScheme {
        guard let key = scheme.key else { return KeptPasswordScheme(scheme, key: nil) }
        return KeptPasswordScheme(scheme, key: try await passwordKeys.keep(key, project.realm))
    }

    /// What an import without times of its own counts as.
    public var now: Instant { clock.now() }

    /// Passwords are hashed one after the other, so that an import takes one place in the waiting room; what was
    /// hashed is stored all at once.
    ///
    /// - Parameter imports: of several with one id the last one counts, of several with one address, number or
    ///   identity the first.
    /// - Returns: what stood in the way of those that were not stored.
    public func store(
        _ imports: [Import], overwrite: ImportOverwrite, in project: Project, from network: ClientNetwork,
        by actor: AuditActor
    ) async throws -> [ID<Account>: UniqueMember] {
        var (accepted, refused) = Self.apart(imports)
        for index in accepted.indices {
            guard accepted[index].hash == nil, let password = accepted[index].password else { continue }
            accepted[index].hash = try await passwords.hash(password, network)
        }
        let now = clock.now()
        let accounts = accepted.map { entry in
            var account = entry.account
            account.passwordUpdatedAt = entry.hash == nil ? nil : now
            return StoredAccount(account: account, passwordHash: entry.hash)
        }
        guard !accounts.isEmpty else { return refused }
        let inTheWay = try await store.store(
            accounts, overwrite: overwrite, by: actor, now: now, in: project.realm)
        refused.merge(inTheWay) { first, _ in first }
        return refused
    }

    private struct Entry {
        let account: Account
        let password: Secret?
        var hash: String?
    }

    /// Those that can be stored together, and what stands in the way of the others.
    private static func apart(_ imports: [Import]) -> ([Entry], [ID<Account>: UniqueMember]) {
        let last = Dictionary(imports.enumerated().map { ($1.account.id, $0) }) { max($0, $1) }
        var accepted: [Entry] = []
        var refused: [ID<Account>: UniqueMember] = [:]
        var seen: Set<AccountReference> = []
        for (index, entry) in imports.enumerated() where last[entry.account.id] == index {
            let references = entry.account.uniqueNames
            if let twice = references.first(where: { seen.contains($0.1) }) {
                refused[entry.account.id] = twice.0
                continue
            }
            seen.formUnion(references.map(\.1))
            accepted.append(Entry(account: entry.account, password: entry.password, hash: entry.passwordHash))
        }
        return (accepted, refused)
    }
}
