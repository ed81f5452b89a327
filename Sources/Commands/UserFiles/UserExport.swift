internal import Gateway
internal import Identity
internal import JSON
internal import Storage

/// Writes the users of a realm in the format of `firebase auth:export`, ordered by ID.
struct UserExport {
    let store: PostgresAccountStore
    let realm: ID<Realm>
    let format: UserFormat

    private static let pageSize = 1000

    /// The numbers of exported users and of identities that are not exported, because CSV has no columns for them.
    struct Counts {
        var users = 0
        var identitiesWithoutColumns = 0
    }

    func run(into file: NewFile) async throws -> Counts {
        var counts = Counts()
        var last: ID<Account>?
        if format == .json { try file.write("{\"users\": [".utf8) }
        while true {
            let page = try await store.storedAccounts(after: last, limit: Self.pageSize, in: realm)
            for stored in page {
                let user = ExportedUser(stored)
                switch format {
                case .json:
                    try file.write((counts.users == 0 ? "\n" : ",\n").utf8)
                    try file.write(try StrictJSON.encode(user))
                case .csv:
                    try file.write(CSVColumns.line(of: user).utf8)
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
}
