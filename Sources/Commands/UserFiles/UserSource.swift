internal import API
internal import EventLoop
internal import Gateway
internal import Glibc
internal import Identity
internal import Providers
internal import Storage

/// Reads the users of a file in batches on an event loop of its own, while earlier batches are being stored.
actor UserSource {
    struct Batch: Sendable {
        var rows: [(line: Int, account: StoredAccount, changes: [ImportedUser.Change])] = []
        var faults: [UserFault] = []
        /// The number of identities of unsupported providers.
        var skippedIdentities = 0
        /// The number of bytes of the file that were read when the batch was complete.
        var bytesRead = 0
    }

    private nonisolated let loop: Loop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let file: UserFile
    private let scheme: StoredPasswordScheme
    private let tenant: Tenant?
    private let factors: ImportedUser.FactorTreatment
    private let passkeys: ImportedUser.PasskeyTreatment
    /// `nil` if no secrets of second factors are imported.
    private let factorSecrets: FactorSecrets?
    private let realm: ID<Realm>
    private let now: Instant
    private var parser: Parser
    private var batch = Batch()
    private var bytesRead = 0
    private var isAtEnd = false

    /// The minimum number of rows of a batch; the last batches may have fewer. With this number, database round trips
    /// take little of the time, and three batches (two being stored, one being read) need little memory.
    private static let minimumBatchSize = 1000

    private enum Parser {
        case json(JSONUsers)
        case csv(CSVUsers)
    }

    init(
        _ file: UserFile, _ format: UserFormat, hashed scheme: StoredPasswordScheme, for tenant: Tenant?,
        factors: ImportedUser.FactorTreatment, passkeys: ImportedUser.PasskeyTreatment,
        sealedBy factorSecrets: FactorSecrets?, in realm: ID<Realm>, now: Instant, on loop: Loop
    ) {
        self.loop = loop
        self.file = file
        self.scheme = scheme
        self.tenant = tenant
        self.factors = factors
        self.passkeys = passkeys
        self.factorSecrets = factorSecrets
        self.realm = realm
        self.now = now
        parser = format == .json ? .json(JSONUsers()) : .csv(CSVUsers())
    }

    /// Returns the next batch; `nil` after the last one.
    ///
    /// - Throws: ``Failure`` if reading fails, or if the file is invalid or truncated.
    func next() throws -> Batch? {
        while !isAtEnd, batch.rows.count + batch.faults.count < Self.minimumBatchSize {
            let chunk = try file.read()
            bytesRead += chunk.count
            if chunk.isEmpty { isAtEnd = true } else { parse(chunk) }
        }
        // The last row of a CSV file may have no newline at its end.
        if isAtEnd, case .csv(var users) = parser, batch.rows.isEmpty, batch.faults.isEmpty {
            try users.finish { add($0) }
            parser = .csv(users)
        }
        guard batch.rows.isEmpty, batch.faults.isEmpty else { return takeBatch() }
        if case .json(let users) = parser { try users.finish() }
        return nil
    }

    private func sealed(
        _ factors: [AccountAdministration.ImportedFactor]
    ) throws(ImportedUser.Fault) -> [NewFactor] {
        guard let factorSecrets else { return [] }
        do {
            return try factors.map { try factorSecrets.sealed($0, in: realm) }
        } catch {
            throw .factorSecretIsInvalid
        }
    }

    private func takeBatch() -> Batch {
        batch.bytesRead = bytesRead
        defer { batch = Batch() }
        return batch
    }

    private func parse(_ chunk: [UInt8]) {
        switch parser {
        case .json(var users):
            users.parse(chunk) { add($0) }
            parser = .json(users)
        case .csv(var users):
            users.parse(chunk) { add($0) }
            parser = .csv(users)
        }
    }

    private func add(_ row: UserRow) {
        let json: [UInt8]
        do {
            json = try row.json.get()
        } catch {
            batch.faults.append(UserFault(line: row.line, localId: nil, error: error.message))
            return
        }
        var localId: String?
        do throws(ImportedUser.Fault) {
            let user = try ImportedUser(json: json)
            localId = user.localId
            let checked = try user.entry(
                at: now, hashedWith: scheme, in: tenant, factors: factors, passkeys: passkeys)
            var entry = checked.entry
            guard entry.password == nil else { throw .unreadable("rawPassword is not supported in files") }
            let all = entry.account.identities
            entry.account.identities = all.filter { SupportedProviders.live.canConfigure($0.provider) }
            batch.skippedIdentities += all.count - entry.account.identities.count
            entry.account.passwordUpdatedAt = entry.passwordHash == nil ? nil : now
            let account = StoredAccount(
                account: entry.account, passwordHash: entry.passwordHash, factors: try sealed(entry.factors),
                passkeys: checked.passkeys)
            batch.rows.append((row.line, account, checked.changes))
        } catch {
            batch.faults.append(UserFault(line: row.line, localId: localId, error: error.messageForFile))
        }
    }
}

extension ImportedUser.Fault {
    /// The message, with the options that accept the entry if there are any.
    fileprivate var messageForFile: String {
        switch self {
        case .hasSecondFactor:
            "the account has second factors; --without-second-factors imports it without them, and --with-secrets with its one-time password and telephone numbers"
        case .passkeyOfOtherRPID: "\(message); --without-passkeys imports the account without its passkeys"
        case .factorSecretIsMissing: "\(message); --without-second-factors imports the account without it"
        default: message
        }
    }
}

/// Why a user of the file was not imported. The line is where the user begins.
struct UserFault: Encodable, Sendable {
    let line: Int
    let localId: String?
    let error: String
}

/// What of an imported user was changed or left out.
struct UserNote: Encodable, Sendable {
    let line: Int
    let localId: String
    let change: String
}
