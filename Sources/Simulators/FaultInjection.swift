public import HTTP
internal import Synchronization

/// How a simulator answers, and what it was asked.
public final class FaultInjection: Sendable {
    static let mostRequestsKept = 100

    private struct Plan {
        let misbehaviour: Misbehaviour
        /// `nil` for ever.
        let times: Int?

        /// For one request less; `nil` once it has been carried out.
        var next: Plan? {
            guard let times else { return self }
            return times > 1 ? Plan(misbehaviour: misbehaviour, times: times - 1) : nil
        }
    }

    private struct State {
        /// By path; `nil` is every path without a plan of its own.
        var plans: [String?: Plan] = [:]
        var counts: [String: Int] = [:]
        var requests: [Request] = []
    }

    /// Guards the plans and the record of requests, which change with every request.
    private let state = Mutex(State())

    public init() {}

    /// - Parameters:
    ///   - path: `nil` for all paths.
    ///   - times: how many requests, `nil` for all to come.
    public func misbehave(_ misbehaviour: Misbehaviour, at path: String? = nil, times: Int? = nil) {
        state.withLock { $0.plans[path] = Plan(misbehaviour: misbehaviour, times: times) }
    }

    public func behave() {
        state.withLock { $0.plans = [:] }
    }

    /// How many requests ever came for that path, answered properly or not.
    public func count(of path: String) -> Int {
        state.withLock { $0.counts[path, default: 0] }
    }

    /// The last hundred, oldest first. They hold what clients sent, secrets included.
    public var requests: [Request] { state.withLock { $0.requests } }

    func record(_ request: Request) -> Misbehaviour {
        state.withLock { state in
            state.counts[request.path, default: 0] += 1
            state.requests = state.requests.suffix(Self.mostRequestsKept - 1) + [request]
            let path = state.plans[request.path] == nil ? nil : request.path
            guard let plan = state.plans[path] else { return .none }
            state.plans[path] = plan.next
            return plan.misbehaviour
        }
    }
}
