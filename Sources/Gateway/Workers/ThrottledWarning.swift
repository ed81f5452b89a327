internal import API
internal import HTTP
internal import Identity
internal import Passwords
internal import Providers
internal import Synchronization
internal import Telemetry

extension BreachedPasswords {
    /// - Parameter url: `nil` asks nobody.
    static func live(at url: String?, client: HTTP.Client, metrics: GatewayMetrics, log: Log) -> BreachedPasswords {
        guard let url else { return .none }
        let failures = metrics.registry.counter(
            "sekisho_breach_lookups_failed_total",
            help: "Passwords that were let through because the list of breached ones could not be asked.")
        let alarm = ThrottledWarning()
        return .live(BreachedPasswordList(url: url), client: client) { error in
            failures.increment()
            if alarm.isDue { log.warning("breached passwords unknown", ["reason": .string("\(error)")]) }
        }
    }
}

/// Keeps what goes wrong with every sign-up from filling the log.
private final class ThrottledWarning: Sendable {
    private static let pause: Duration = .seconds(600)

    /// Guards when it was last due.
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    var isDue: Bool {
        last.withLock { last in
            if let last, last.duration(to: .now) < Self.pause { return false }
            last = .now
            return true
        }
    }
}
