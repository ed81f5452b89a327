internal import Synchronization

/// Asks Apple once a day whether the stored refresh tokens (grants) of active accounts are still authorized.
public struct AppleGrantChecks: Sendable {
    /// How long claimed grants are reserved: longer than the requests of a batch can take. If the check of a grant does
    /// not finish, the grant is checked again after this time.
    private static let lease: Duration = .seconds(3600)
    /// The maximum number of concurrent requests for one client ID.
    private static let concurrency = 8

    private let store: any AppleGrantStore
    private let endpoint: AppleTokenEndpoint
    private let credentials: AppleCredentialsLookup
    private let sealing: AppleGrantSealing
    private let clock: WallClock
    private let latestGrantCounts = LatestGrantCounts()

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
        /// The results of the checks by the project or tenant of the grant.
        public var events: [ID<Realm>: [AppleTokenEvent]] = [:]
        /// The client IDs that are not checked, because too many checks failed in the last hour.
        public var stopped: Set<AppleClientReference> = []
        /// The numbers of grants in each state, counted at most an hour ago.
        public var grantCounts: [AppleGrant.State: Int] = [:]
        /// The errors (for example of the database) that ended the checks of a client ID, or
        /// ``AppleGrantStore/markGrantsOfFormerTeamOrKey()``.
        public var interruptions: [String] = []
    }

    /// Runs checks that are due, for each client ID at most ``AppleGrant/checksPerMinute(of:)``. A worker calls this
    /// function once a minute. A failure for one client ID does not affect the others.
    public func run() async throws -> Report {
        var report = Report()
        if let error = try await errorText(of: { try await store.markGrantsOfFormerTeamOrKey() }) {
            report.interruptions.append(error)
        }
        let now = clock.now()
        let grantCounts = try await grantCounts(at: now)
        for states in grantCounts.values { report.grantCounts.merge(states, uniquingKeysWith: +) }
        let earlier = try await store.checkCounts(since: now - AppleGrant.failureRateWindow)
        report.stopped = Set(earlier.filter(\.value.stopsChecks).keys)
        for (client, states) in grantCounts where !report.stopped.contains(client) {
            guard let authorizedCount = states[.authorized] else { continue }
            let error = try await errorText {
                let due = try await store.claimChecks(
                    of: client, limit: AppleGrant.checksPerMinute(of: authorizedCount), lease: Self.lease,
                    postponingInactiveSince: now - AppleGrant.activityWindow, until: now + AppleGrant.checkInterval,
                    at: now)
                try await check(due, client, after: earlier[client] ?? CheckCounts(), in: &report)
            }
            if let error { report.interruptions.append(error) }
        }
        return report
    }

    /// Counts the grants once an hour, because counting reads all of them.
    private func grantCounts(at now: Instant) async throws -> [AppleClientReference: [AppleGrant.State: Int]] {
        if let known = latestGrantCounts.value(at: now) { return known }
        let counts = try await store.grantCounts()
        latestGrantCounts.set(counts, at: now)
        return counts
    }

    /// Runs `work`.
    ///
    /// - Returns: the error that ended it, as text; `nil` if it succeeded.
    /// - Throws: `CancellationError`.
    private func errorText(of work: () async throws -> Void) async throws -> String? {
        do {
            try await work()
            return nil
        } catch let error as CancellationError {
            throw error
        } catch {
            return "\(error)"
        }
    }

    /// Checks the grants in groups. Records the results of each group before the next group starts, so that few checks
    /// are repeated after an interruption. Ends early if the results so far stop the checks of the client ID.
    private func check(
        _ grants: [AppleGrant], _ client: AppleClientReference, after earlier: CheckCounts, in report: inout Report
    ) async throws {
        var counts = earlier
        for start in stride(from: 0, to: grants.count, by: Self.concurrency) {
            let group = Array(grants[start..<min(start + Self.concurrency, grants.count)])
            let batch = CheckBatch(try await results(of: group, client), after: counts)
            try await record(batch, of: client.realm, in: &report)
            counts = batch.counts
            guard !batch.stopsChecks else {
                report.stopped.insert(client)
                return
            }
        }
    }

    private func results(
        of grants: [AppleGrant], _ client: AppleClientReference
    ) async throws -> [ID<AppleGrant>: RecordedCheck] {
        let clientCredentials: AppleClientCredentials
        do {
            clientCredentials = try await credentials.required(client)
        } catch let fault as AppleKeyFault {
            return grants.reduce(into: [:]) { $0[$1.id] = .failed(failure: fault.reason) }
        }
        return try await withThrowingTaskGroup(of: (ID<AppleGrant>, RecordedCheck).self) { tasks in
            for grant in grants { tasks.addTask { (grant.id, try await result(of: grant, clientCredentials)) } }
            return try await tasks.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    private func result(of grant: AppleGrant, _ client: AppleClientCredentials) async throws -> RecordedCheck {
        guard let token = sealing.token(of: grant) else { return .failed(failure: "the token cannot be decrypted") }
        return RecordedCheck(try await endpoint.check(token, client))
    }

    private func record(_ batch: CheckBatch, of realm: ID<Realm>, in report: inout Report) async throws {
        for result in batch.results.values {
            switch result {
            case .authorized: report.authorized += 1
            case .revoked: report.revoked += 1
            case .failed: report.failed += 1
            }
            report.events[realm, default: []].append(AppleTokenEvent(result))
        }
        let now = clock.now()
        try await store.record(batch.results, nextCheck: now + AppleGrant.checkInterval, at: now)
    }
}

extension AppleTokenEvent {
    fileprivate init(_ check: RecordedCheck) {
        self =
            switch check {
            case .authorized: .authorized
            case .revoked: .revoked
            case .failed: .failed
            }
    }
}

/// The latest counts of grants, with the time of counting.
private final class LatestGrantCounts: Sendable {
    typealias Counts = [AppleClientReference: [AppleGrant.State: Int]]

    private let counts = Mutex<(value: Counts, countedAt: Instant)?>(nil)

    /// - Returns: `nil` if the grants have not been counted within ``AppleGrant/countInterval``.
    func value(at now: Instant) -> Counts? {
        counts.withLock { counts in
            guard let counts, now < counts.countedAt + AppleGrant.countInterval else { return nil }
            return counts.value
        }
    }

    func set(_ value: Counts, at now: Instant) { counts.withLock { $0 = (value, now) } }
}
