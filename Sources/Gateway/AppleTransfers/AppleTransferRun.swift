internal import EventLoop
internal import HTTP
package import Identity
internal import Postgres
internal import Providers
package import Storage

/// Moves the Apple identities of a realm to another Apple developer team, for `sekisho apple export-transfers` and
/// `import-transfers`.
///
/// An export requests a transfer subject (`transfer_sub`) for each identity from Apple, with the key of the old team.
/// An import exchanges the transfer subject, with the key of the new team, for the identity's new subject. Results are
/// stored after each group of concurrent requests. A new run after an interrupted one continues with the remaining
/// identities.
package struct AppleTransferRun: Sendable {
    /// The number of identities that are read at once. A run can take longer than the hour for which Apple's access
    /// tokens are valid, so each batch requests new ones, one per client ID.
    private static let batchSize = 200
    /// The maximum number of concurrent requests.
    private static let concurrency = 8
    /// The maximum number of times that a request is sent while Apple is unavailable.
    private static let maximumAttempts = 3

    package struct Progress: Hashable, Sendable {
        /// For an export, the number of Apple identities in the realm. For an import, the number of identities with a
        /// transfer subject for the new team.
        package var all = 0
        /// For an export, the number of identities that have a transfer subject for the new team. For an import, the
        /// number of identities that earlier runs, this run or sign-ins have moved to the new team.
        package var done = 0
        /// The number of identities that Apple has rejected in this run. Either the user has disconnected the app, or
        /// the team or the client ID is wrong.
        package var rejectedInThisRun = 0
        /// The identities that this import and earlier ones have not moved, because Apple rejects them.
        package var recordedRejections: [AppleTransferStore.RejectedImport] = []
        /// The accounts whose identity was not moved, because its new subject already belongs to another account.
        package var conflicts: [ID<Account>] = []

        /// Fails if the options of the command are probably wrong.
        ///
        /// - Throws: ``Failure`` with `hint` if Apple has rejected an identity in this run, and neither this run nor an
        ///   earlier one has exported or moved an identity.
        fileprivate func requireSuccess(hint: String) throws {
            guard done == 0, rejectedInThisRun > 0 else { return }
            let noun = rejectedInThisRun == 1 ? "identity" : "identities"
            throw Failure(message: "Apple rejected \(rejectedInThisRun) \(noun) and accepted none: \(hint)")
        }
    }

    private let store: AppleTransferStore
    private let realm: ID<Realm>
    /// The client ID of all requests; `nil` uses the client ID of each identity's latest sign-in.
    private let clientID: String?
    /// The client ID for identities whose latest sign-in has no stored client ID.
    private let defaultClientID: String
    private let key: AppleKeyName
    private let privateKey: Secret
    private let endpoint: AppleMigrationEndpoint
    private let pool: Pool
    private let clock: WallClock
    private let recording: EventRecording

    /// - Parameters:
    ///   - settings: the settings of `apple.com` in the realm.
    ///   - clientID: the client ID of all requests; `nil` uses the client ID of each identity's latest sign-in.
    ///   - key: the key of the old team for an export, or of the new team for an import.
    init(
        _ realm: ID<Realm>, settings: ProviderSettings, clientID: String?, key: AppleKeyName, privateKey: Secret,
        endpoint: AppleMigrationEndpoint, pool: Pool, clock: WallClock, recording: EventRecording
    ) {
        store = AppleTransferStore(pool: pool)
        self.realm = realm
        self.clientID = clientID
        defaultClientID = settings.clientIDs.first ?? ""
        self.key = key
        self.privateKey = privateKey
        self.endpoint = endpoint
        self.pool = pool
        self.clock = clock
        self.recording = recording
    }

    /// Requests the missing transfer subjects from Apple, with the key of the old team.
    ///
    /// - Parameter team: the new team.
    package func export(to team: String, _ report: @Sendable (Progress) -> Void) async throws -> Progress {
        let counts = try await store.counts(to: team, in: realm)
        var progress = Progress(all: counts.all, done: counts.exported)
        var last = ""
        while true {
            report(progress)
            let page = try await store.waitingForExport(to: team, after: last, limit: Self.batchSize, in: realm)
            guard let end = page.end else { break }
            last = end
            let tokens = try await tokens(for: page.waiting)
            for group in slices(of: page.waiting, Self.concurrency) {
                let outcomes = try await outcomes(of: group) { identity in
                    let (client, token) = try tokens.credentialsAndToken(for: identity, in: self)
                    return try await endpoint.transferSubject(identity.subject, team, token, client)
                }
                var transferSubjects: [String: String] = [:]
                for case (let identity, .found(let found)) in outcomes { transferSubjects[identity.subject] = found }
                progress.done += try await store.storeTransferSubjects(transferSubjects, to: team, in: realm)
                progress.rejectedInThisRun += group.count - transferSubjects.count
                report(progress)
            }
        }
        try progress.requireSuccess(
            hint: "check --to-team \(team), and that team \(key.teamID) owns or has owned the client IDs")
        return progress
    }

    /// Requests the new subjects from Apple, with the key of the new team, and rewrites the identities. Records the
    /// identities that Apple rejects, so that the next run does not request them again.
    ///
    /// Apple also rejects identities if the team, the client ID or the access token is wrong. Therefore a rejection is
    /// recorded only under three conditions: another identity has moved to the team, the command names no other client
    /// ID than that of the identity's latest sign-in, and Apple rejects the identity again, with a new access token.
    ///
    /// - Parameter retryingRejected: whether to request identities whose rejection is recorded.
    package func `import`(
        retryingRejected: Bool = false, _ report: @Sendable (Progress) -> Void
    ) async throws -> Progress {
        let counts = try await store.counts(to: key.teamID, in: realm)
        guard counts.exported > 0 else {
            throw Failure(
                message:
                    "no identity has a transfer identifier (transfer_sub) for team \(key.teamID): run export-transfers first"
            )
        }
        var progress = Progress(all: counts.exported, done: counts.imported)
        var rejected: [AppleTransferStore.Waiting] = []
        var last = ""
        while true {
            report(progress)
            let page = try await store.waitingForImport(
                to: key.teamID, retryingRejected: retryingRejected, after: last, limit: Self.batchSize, in: realm)
            guard let end = page.end else { break }
            last = end
            rejected += try await move(page.waiting, &progress, report).map(\.identity)
            progress.rejectedInThisRun = rejected.count
        }
        let requestedAgain = progress.done > 0 ? rejected.filter(usesOwnClientID) : []
        for batch in slices(of: requestedAgain, Self.batchSize) {
            let rejectedAgain = try await move(Array(batch), &progress, report)
            progress.rejectedInThisRun -= batch.count - rejectedAgain.count
            let errors = rejectedAgain.map { ($0.identity.transferSubject ?? "", $0.error.rawValue) }
            try await store.storeErrors(Dictionary(errors) { $1 }, to: key.teamID, in: realm)
        }
        // Sign-ins may have moved identities during the run, and accounts may have been deleted.
        let finalCounts = try await store.counts(to: key.teamID, in: realm)
        (progress.all, progress.done) = (finalCounts.exported, finalCounts.imported)
        try progress.requireSuccess(
            hint: "check that team \(key.teamID) has accepted the transfer of the app, less than 60 days ago")
        progress.recordedRejections = try await store.rejectedImports(to: key.teamID, in: realm)
        return progress
    }

    /// Requests the new subjects of a batch, and rewrites the identities that Apple accepts.
    ///
    /// - Returns: the identities that Apple rejects.
    private func move(
        _ batch: [AppleTransferStore.Waiting], _ progress: inout Progress, _ report: @Sendable (Progress) -> Void
    ) async throws -> [(identity: AppleTransferStore.Waiting, error: AppleErrorCode)] {
        var rejected: [(identity: AppleTransferStore.Waiting, error: AppleErrorCode)] = []
        let tokens = try await tokens(for: batch)
        for group in slices(of: batch, Self.concurrency) {
            let outcomes = try await outcomes(of: group) { identity in
                let (client, token) = try tokens.credentialsAndToken(for: identity, in: self)
                return try await endpoint.transferredUser(identity.transferSubject ?? "", token, client)
            }
            for (identity, outcome) in outcomes {
                switch outcome {
                case .found(let user): try await rewrite(identity, user, &progress)
                case .rejected(let error): rejected.append((identity, error))
                }
            }
            report(progress)
        }
        return rejected
    }

    /// Whether ``clientID`` is `nil` or the client ID of the identity's latest sign-in.
    private func usesOwnClientID(_ identity: AppleTransferStore.Waiting) -> Bool {
        clientID == nil || clientID == identity.clientID
    }

    /// Stores the new subject of an identity.
    private func rewrite(
        _ identity: AppleTransferStore.Waiting, _ user: TransferredUser, _ progress: inout Progress
    ) async throws {
        let transferSubject = identity.transferSubject ?? ""
        let transfer = IdentityTransfer(
            formerSubject: identity.subject, transferSubject: transferSubject, subject: user.subject,
            email: user.email, isPrivateEmail: user.isPrivateEmail)
        do {
            // `false` if the identity changed during the run: a sign-in rewrote it, or it was deleted.
            let isRewritten = try await retryingConflicts { _ in
                try await store.apply(
                    transfer, of: identity.account, recording: recording, at: clock.now(), in: realm)
            }
            if isRewritten { progress.done += 1 }
        } catch StoreConflict.taken {
            progress.conflicts.append(identity.account)
            // Apple has accepted the identity, so a recorded rejection is removed.
            try await store.storeErrors([transferSubject: nil], to: key.teamID, in: realm)
        }
    }

    private func slices(
        of waiting: [AppleTransferStore.Waiting], _ size: Int
    ) -> [ArraySlice<AppleTransferStore.Waiting>] {
        stride(from: 0, to: waiting.count, by: size).map { waiting[$0..<min($0 + size, waiting.count)] }
    }

    /// Sends the requests for all identities of a group at once.
    private func outcomes<Value: Sendable>(
        of group: ArraySlice<AppleTransferStore.Waiting>,
        _ request: @escaping @Sendable (AppleTransferStore.Waiting) async throws -> AppleMigrationResult<Value>
    ) async throws -> [(AppleTransferStore.Waiting, Outcome<Value>)] {
        try await withThrowingTaskGroup(of: (AppleTransferStore.Waiting, Outcome<Value>).self) { tasks in
            for identity in group { tasks.addTask { (identity, try await response { try await request(identity) }) } }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
    }

    /// Sends a request, up to ``maximumAttempts`` times while Apple is unavailable.
    ///
    /// - Throws: ``Failure`` if Apple remains unavailable, or rejects the team or the private key.
    private func response<Value: Sendable>(
        _ request: () async throws -> AppleMigrationResult<Value>
    ) async throws -> Outcome<Value> {
        var reason = ""
        for attempt in 1...Self.maximumAttempts {
            switch try await request() {
            case .found(let value): return .found(value)
            case .failed(.rejected(let code)) where !code.isConfigurationFault: return .rejected(code)
            case .failed(.rejected(let code)):
                throw Failure(
                    message:
                        "Apple rejects the private key (\(code.rawValue)): check that team \(key.teamID) owns the client ID, and that key \(key.keyID) is enabled for Sign in with Apple"
                )
            case .failed(let response): reason = "\(response)"
            }
            if attempt < Self.maximumAttempts { try await pool.loop.sleep(for: .seconds(attempt)) }
        }
        throw Failure(message: "the request to Apple failed (\(reason)); run the command again to continue")
    }

    fileprivate func credentials(for identity: AppleTransferStore.Waiting) -> AppleClientCredentials {
        AppleClientCredentials(
            clientID: clientID ?? identity.clientID ?? defaultClientID, key: key, privateKey: privateKey)
    }
}

/// Apple's response to a request for one identity.
private enum Outcome<Value: Sendable>: Sendable {
    case found(Value)
    /// Apple rejects the subject.
    case rejected(AppleErrorCode)
}

/// Access tokens for Apple's user-migration endpoint, by client ID.
private struct AccessTokens: Sendable {
    let byClientID: [String: Secret]
}

extension AppleTransferRun {
    /// Requests one access token for each client ID of `waiting`.
    private func tokens(for waiting: [AppleTransferStore.Waiting]) async throws -> AccessTokens {
        var tokens: [String: Secret] = [:]
        for client in waiting.map(credentials(for:)) where tokens[client.clientID] == nil {
            guard case .found(let token) = try await response({ try await endpoint.accessToken(client) }) else {
                throw Failure(
                    message:
                        "Apple rejected the request for a user-migration token for client ID \(client.clientID): check that the key's team owns this client ID"
                )
            }
            tokens[client.clientID] = token
        }
        return AccessTokens(byClientID: tokens)
    }
}

extension AccessTokens {
    /// Returns the credentials and the access token for a request about `identity`.
    func credentialsAndToken(
        for identity: AppleTransferStore.Waiting, in run: AppleTransferRun
    ) throws -> (AppleClientCredentials, Secret) {
        let client = run.credentials(for: identity)
        guard let token = byClientID[client.clientID] else {
            throw Failure(message: "no user-migration token for client ID \(client.clientID)")
        }
        return (client, token)
    }
}
