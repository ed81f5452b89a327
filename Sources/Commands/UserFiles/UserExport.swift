internal import Gateway
internal import Identity
internal import JSON
internal import Storage

/// Writes the users of a realm in the format of `firebase auth:export`, ordered by ID.
struct UserExport {
    let store: PostgresAccountStore
    let passkeys: PostgresPasskeyStore
    let sealedSecrets: EncryptedFactorSecrets
    /// Decrypts the secrets of one-time passwords; `nil` exports none of them.
    let secrets: FactorSecrets?
    let realm: ID<Realm>
    let format: UserFormat

    private static let pageSize = 1000

    struct Counts {
        var users = 0
        /// Identities that are not exported, because CSV has no columns for them.
        var identitiesWithoutColumns = 0
        /// Users with second factors whose secrets are not exported.
        var withoutSecrets = 0
        /// Users whose passkeys are not exported, because CSV has no columns for them.
        var withoutPasskeys = 0
    }

    func run(into file: NewFile) async throws -> Counts {
        var counts = Counts()
        var last: ID<Account>?
        if format == .json { try file.write("{\"users\": [".utf8) }
        while true {
            let page = try await store.storedAccounts(after: last, limit: Self.pageSize, in: realm)
            let opened = try await openedSecrets(of: page.map(\.account))
            let keys = try await exportedPasskeys(of: page.map(\.account))
            for stored in page {
                let id = stored.account.id
                let user = ExportedUser(stored, secrets: opened[id] ?? [:], passkeys: keys[id] ?? [])
                if secrets == nil, user.hasOneTimePassword { counts.withoutSecrets += 1 }
                switch format {
                case .json:
                    try file.write((counts.users == 0 ? "\n" : ",\n").utf8)
                    try file.write(try StrictJSON.encode(user))
                case .csv:
                    try file.write(CSVColumns.line(of: user).utf8)
                    if !stored.account.passkeys.isEmpty { counts.withoutPasskeys += 1 }
                    counts.identitiesWithoutColumns += CSVColumns.identitiesWithoutColumns(of: user)
                }
                counts.users += 1
            }
            guard page.count == Self.pageSize else { break }
            last = page.last?.account.id
        }
        if format == .json { try file.write("\n]}\n".utf8) }
        try file.finish()
        return counts
    }

    /// The passkeys of the accounts, if the format has a place for them.
    private func exportedPasskeys(of accounts: [Account]) async throws -> [ID<Account>: [NewPasskey]] {
        let owners = accounts.filter { !$0.passkeys.isEmpty }.map(\.id)
        return format == .json && !owners.isEmpty ? try await passkeys.passkeys(of: owners, in: realm) : [:]
    }

    /// The secrets of the accounts' one-time passwords, if they are exported.
    private func openedSecrets(of accounts: [Account]) async throws -> [ID<Account>: [ID<Factor>: [UInt8]]] {
        let enrolled = accounts.filter { !$0.secondFactors.isEmpty }.map(\.id)
        guard let secrets, !enrolled.isEmpty else { return [:] }
        var opened: [ID<Account>: [ID<Factor>: [UInt8]]] = [:]
        for stored in try await sealedSecrets.secrets(of: enrolled, in: realm) {
            opened[stored.account, default: [:]][stored.factor] = try secrets.open(
                stored.secret, stored.factor, realm)
        }
        return opened
    }
}
