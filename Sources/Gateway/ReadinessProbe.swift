internal import Postgres
internal import Storage
internal import Synchronization

/// Checks for all event loops whether the gateway can serve requests. A check takes a second at most. While one is
/// under way, callers get the previous result, so that a slow database does not make health checks slow.
final class ReadinessProbe: Sendable {
    struct Findings: Sendable {
        /// Whether every event loop reaches the database.
        var databaseIsReachable: Bool
        var schemaIsCurrent: Bool
        /// How far the clock of this machine is ahead of PostgreSQL's; `nil` if it is unknown.
        var clockLead: Duration?
    }

    private struct State {
        var findings: Findings?
        var checkedAt = ContinuousClock.now
        var isChecking = false
        /// The callers that wait for the first result.
        var waiters: [CheckedContinuation<Findings, Never>] = []
    }

    private enum Decision {
        case known(Findings)
        case check
        case wait
    }

    /// The time for which a result is used, because any client may request the readiness.
    private static let lifetime: Duration = .seconds(1)

    private let pools: [Pool]
    /// Guards the latest result and the check under way.
    private let state = Mutex(State())

    init(_ pools: [Pool]) {
        self.pools = pools
    }

    /// The latest result, for metrics; `nil` before the first check.
    var latest: Findings? { state.withLock { $0.findings } }

    /// Returns a result that is at most a second old, or older while a check is under way.
    func findings() async -> Findings {
        switch state.withLock({ decide(&$0) }) {
        case .known(let findings): return findings
        case .check:
            let findings = await check()
            for waiter in state.withLock({ finish(findings, &$0) }) { waiter.resume(returning: findings) }
            return findings
        case .wait:
            return await withCheckedContinuation { waiter in
                let known = state.withLock { state in
                    if state.findings == nil { state.waiters.append(waiter) }
                    return state.findings
                }
                if let known { waiter.resume(returning: known) }
            }
        }
    }

    private func decide(_ state: inout State) -> Decision {
        if let findings = state.findings, state.isChecking || state.checkedAt.duration(to: .now) < Self.lifetime {
            return .known(findings)
        }
        guard !state.isChecking else { return .wait }
        state.isChecking = true
        return .check
    }

    private func finish(_ findings: Findings, _ state: inout State) -> [CheckedContinuation<Findings, Never>] {
        defer { state.waiters = [] }
        state.findings = findings
        state.checkedAt = .now
        state.isChecking = false
        return state.waiters
    }

    private func check() async -> Findings {
        await withTaskGroup(of: DatabaseProbe?.self) { group in
            // The reason for a failure is in the log of the requests that fail.
            for pool in pools { group.addTask { try? await DatabaseProbe(of: pool) } }
            return await group.reduce(into: Findings(databaseIsReachable: true, schemaIsCurrent: true)) { all, probe in
                all.databaseIsReachable = all.databaseIsReachable && probe != nil
                all.schemaIsCurrent = all.schemaIsCurrent && probe?.schemaIsCurrent == true
                all.clockLead = probe?.clockLead ?? all.clockLead
            }
        }
    }
}
