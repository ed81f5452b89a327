internal import Identity
internal import Synchronization

/// Circuit breaker for each function: limits concurrent calls. After ``failureLimit`` failures in a row, a function
/// gets one call a second until one succeeds.
public final class HookCircuits: Sendable {
    public static let concurrencyLimit = 64
    public static let failureLimit = 20
    private static let probeInterval: Duration = .seconds(1)
    /// The maximum number of URLs that are remembered.
    private static let capacity = 1000

    /// A function of a project. Another project can name the same URL, and must not use up the calls.
    struct Key: Hashable {
        let project: ID<Project>
        let url: CallbackURL
    }

    private struct Circuit {
        var calls = 0
        var failures = 0
        var probedAt: ContinuousClock.Instant?
    }

    // Protects the circuits.
    private let circuits = Mutex<[Key: Circuit]>([:])

    /// The outcome of a call.
    enum Outcome {
        /// The function has answered, whether or not the answer is valid.
        case reached
        case failed
        /// The gateway itself failed before the call.
        case unknown
    }

    public init() {}

    /// The number of functions that cannot be reached.
    public var openCount: Int { circuits.withLock { $0.values.count { $0.failures >= Self.failureLimit } } }

    /// - Returns: `false` if the function must not be called now. Otherwise, the caller reports the end of the call.
    func begin(_ key: Key, at now: ContinuousClock.Instant) -> Bool {
        circuits.withLock { circuits in
            var circuit = circuits[key] ?? Circuit()
            guard circuit.calls < Self.concurrencyLimit else { return false }
            if circuit.failures >= Self.failureLimit {
                if let probedAt = circuit.probedAt, probedAt.duration(to: now) < Self.probeInterval { return false }
                circuit.probedAt = now
            }
            circuit.calls += 1
            circuits[key] = circuit
            return true
        }
    }

    func end(_ key: Key, _ outcome: Outcome, at now: ContinuousClock.Instant) {
        circuits.withLock { circuits in
            guard var circuit = circuits[key] else { return }
            circuit.calls -= 1
            switch outcome {
            case .reached: circuit.failures = 0
            case .failed:
                circuit.failures += 1
                if circuit.failures == Self.failureLimit { circuit.probedAt = now }
            case .unknown: break
            }
            circuits[key] = circuit.calls == 0 && circuit.failures == 0 ? nil : circuit
            if circuits.count > Self.capacity, let idle = circuits.first(where: { $0.value.calls == 0 }) {
                circuits[idle.key] = nil
            }
        }
    }
}
