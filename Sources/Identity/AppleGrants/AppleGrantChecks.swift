/// The daily checks of grants.
public struct AppleGrantChecks: Sendable {
    /// Longer than the requests of a batch can take. Grants whose check was not finished wait until then.
    private static let lease: Duration = .seconds(3600)
    /// Requests at once.
    private static let concurrency = 8

    private let store: any AppleGrantStore
    private let endpoint: AppleTokenEndpoint
    private let credentials: AppleCredentialsLookup
    private let sealing: AppleGrantSealing
    private let clock: WallClock

    public init(
        store: any AppleGrantStore, endpoint: AppleTokenEndpoint, credentials: AppleCredentialsLookup,
        sealing: AppleGrantSealing, clock: WallClock
    ) {
        self.store = store
        self.endpoint = endpoint
        self.credentials = credentials
        self.sealing = sealing
        self.clock = clock
    }

    public struct Report: Hashable, Sendable {
        public var authorized = 0
        public var revoked = 0
        public var failed = 0
        /// The client IDs that are not checked, because too many checks failed in the last hour.
        public var stopped: Set<AppleClientKey> = []
        public var counts: [AppleGrant.State: Int] = [:]
    }

    /// Makes the checks of one minute.
    public func run() async throws -> Report {
        try await store.forgetForeignKeys()
        var report = Report()
        report.counts = try await store.counts()
        let now = clock.now()
        let earlier = try await store.checks(since: now - AppleGrant.brakeWindow)
        report.stopped = Set(earlier.filter(\.value.stopsChecks).keys)
        let due = try await store.claimChecks(
            limit: AppleGrant.checksPerMinute(of: report.counts[.authorized] ?? 0), lease: Self.lease,
            except: report.stopped, activeSince: now - AppleGrant.checkedWhileUsed,
            nextCheck: now + AppleGrant.checkInterval, at: now)
        for (client, grants) in Dictionary(grouping: due, by: \.client) {
            let before = earlier[client] ?? CheckCounts()
            let batch = CheckBatch(try await results(of: grants, client, after: before), after: before)
            if batch.stops { report.stopped.insert(client) }
            try await record(batch, in: &report)
        }
        return report
    }

    /// Ends early if the client ID is stopped by what was found so far.
    private func results(
        of grants: [AppleGrant], _ key: AppleClientKey, after earlier: CheckCounts
    ) async throws -> [ID<AppleGrant>: RecordedCheck] {
        guard let client = try await credentials.find(key) else { return [:] }
        var results: [ID<AppleGrant>: RecordedCheck] = [:]
        for start in stride(from: 0, to: grants.count, by: Self.concurrency) {
            let group = grants[start..<min(start + Self.concurrency, grants.count)]
            try await withThrowingTaskGroup(of: (ID<AppleGrant>, RecordedCheck).self) { tasks in
                for grant in group { tasks.addTask { (grant.id, try await result(of: grant, client)) } }
                for try await (id, result) in tasks { results[id] = result }
            }
            if CheckBatch(results, after: earlier).stops { break }
        }
        return results
    }

    private func result(of grant: AppleGrant, _ client: AppleClientCredentials) async throws -> RecordedCheck {
        guard let token = opened(grant) else { return .failed(failure: "the token cannot be decrypted") }
        return RecordedCheck(try await endpoint.check(token, client))
    }

    private func opened(_ grant: AppleGrant) -> Secret? {
        do {
            return try sealing.open(grant.token, grant.id)
        } catch {
            return nil
        }
    }

    private func record(_ batch: CheckBatch, in report: inout Report) async throws {
        for result in batch.results.values {
            switch result {
            case .authorized: report.authorized += 1
            case .revoked: report.revoked += 1
            case .failed: report.failed += 1
            }
        }
        let now = clock.now()
        try await store.record(batch.results, nextCheck: now + AppleGrant.checkInterval, at: now)
    }
}
