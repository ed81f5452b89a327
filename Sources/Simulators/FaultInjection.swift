public import HTTP
internal import Synchronization

/// The faults that a test injects into a simulator's responses, and the record of the requests to the simulator.
public final class FaultInjection: Sendable {
    /// The maximum number of recorded requests.
    static let recordLimit = 100

    /// A fault for later requests.
    private struct Plan {
        let fault: InjectedFault
        /// The number of requests that still get the fault; `nil` for all.
        let remaining: Int?

        /// The plan after one more request; `nil` if no further request gets the fault.
        var next: Plan? {
            guard let remaining else { return self }
            return remaining > 1 ? Plan(fault: fault, remaining: remaining - 1) : nil
        }
    }

    private struct State {
        /// The plans by path; `nil` is the plan of all other paths.
        var plans: [String?: Plan] = [:]
        var counts: [String: Int] = [:]
        var requests: [Request] = []
    }

    /// Guards the plans and the record of requests.
    private let state = Mutex(State())

    public init() {}

    /// Replaces or delays the responses to later requests.
    ///
    /// - Parameters:
    ///   - path: `nil` for all paths that have no fault of their own.
    ///   - times: the number of requests; `nil` for all.
    public func injectFault(_ fault: InjectedFault, at path: String? = nil, times: Int? = nil) {
        state.withLock { $0.plans[path] = Plan(fault: fault, remaining: times) }
    }

    /// Removes the injected faults. The counts and the record of requests remain.
    public func reset() {
        state.withLock { $0.plans = [:] }
    }

    /// The number of requests for `path`, with and without faults.
    public func requestCount(at path: String) -> Int {
        state.withLock { $0.counts[path, default: 0] }
    }

    /// The last 100 requests, oldest first, with the secrets that clients sent.
    public var requests: [Request] { state.withLock { $0.requests } }

    /// Records a request, and returns its fault. A fault with a limited number of requests then applies to one request
    /// fewer.
    func nextFault(recording request: Request) -> InjectedFault {
        state.withLock { state in
            state.counts[request.path, default: 0] += 1
            state.requests = state.requests.suffix(Self.recordLimit - 1) + [request]
            let path = state.plans[request.path] == nil ? nil : request.path
            guard let plan = state.plans[path] else { return .none }
            state.plans[path] = plan.next
            return plan.fault
        }
    }
}
