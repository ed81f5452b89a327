internal import API
internal import EventLoop
internal import Gateway
internal import Glibc
internal import Identity

/// The users of a file, read batch by batch on a loop of its own, while the batch before is being stored.
actor UserSource {
    struct Batch: Sendable {
        var rows: [(line: Int, entry: AccountAdministration.Import)] = []
        var faults: [UserFault] = []
        /// Of providers that nobody can sign in with here.
        var leftOut = 0
        /// How far into the file it goes.
        var bytes = 0
    }

    private nonisolated let loop: Loop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let file: UserFile
    private let scheme: KeptPasswordScheme
    private let tenant: Tenant?
    private let now: Instant
    private var parser: Parser
    private var batch = Batch()
    private var bytes = 0
    private var isAtEnd = false

    /// A round trip of the database for each should not count, nor its memory.
    private static let batchSize = 2000

    private enum Parser {
        case json(JSONUsers)
        case csv(CSVUsers)
    }

    init(
        _ file: UserFile, _ format: UserFormat, hashed scheme: KeptPasswordScheme, for tenant: Tenant?, now: Instant,
        on loop: Loop
    ) {
        self.loop = loop
        self.file = file
        self.scheme = scheme
        self.tenant = tenant
        self.now = now
        parser = format == .json ? .json(JSONUsers()) : .csv(CSVUsers())
    }

    /// - Returns: `nil` after the last one.
    /// - Throws: ``Failure`` if the file cannot be read any further; all that came before has been given out.
    func next() throws -> Batch? {
        while !isAtEnd, batch.rows.count + batch.faults.count < Self.batchSize {
            let chunk = try file.read()
            bytes += chunk.count
            if chunk.isEmpty { isAtEnd = true } else { take(chunk) }
        }
        if isAtEnd, case .csv(var rows) = parser, batch.rows.isEmpty, batch.faults.isEmpty {
            try rows.finish { add($0) }
            parser = .csv(rows)
        }
        guard batch.rows.isEmpty, batch.faults.isEmpty else { return giveOut() }
        if case .json(let users) = parser { try users.finish() }
        return nil
    }

    private func giveOut() -> Batch {
        batch.bytes = bytes
        defer { batch = Batch() }
        return batch
    }

    private func take(_ chunk: [UInt8]) {
        switch parser {
        case .json(var users):
            users.take(chunk) { add($0) }
            parser = .json(users)
        case .csv(var rows):
            rows.take(chunk) { add($0) }
            parser = .csv(rows)
        }
    }

    private func add(_ row: UserRow) {
        guard let json = row.json else {
            batch.faults.append(UserFault(line: row.line, localId: nil, error: "the row is too long"))
            return
        }
        var localId: String?
        do throws(ImportedUser.Fault) {
            let user = try ImportedUser(json: json)
            localId = user.localId
            var entry = try user.entry(at: now, hashed: scheme, of: tenant)
            guard entry.password == nil else { throw .unreadable("rawPassword is not taken from files") }
            let all = entry.account.identities
            entry.account.identities = all.filter { $0.provider.canBeConfigured }
            batch.leftOut += all.count - entry.account.identities.count
            batch.rows.append((row.line, entry))
        } catch {
            batch.faults.append(UserFault(line: row.line, localId: localId, error: error.message))
        }
    }
}

/// A row that was not imported.
struct UserFault: Encodable, Sendable {
    let line: Int
    let localId: String?
    let error: String
}
