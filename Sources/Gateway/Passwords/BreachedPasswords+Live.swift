internal import API
internal import HTTP
internal import Identity
internal import Passwords
internal import Telemetry

extension BreachedPasswords {
    /// - Parameter url: `nil` disables the check.
    static func live(at url: String?, client: HTTP.Client, metrics: GatewayMetrics, log: Log) -> BreachedPasswords {
        guard let url else { return .none }
        let failures = metrics.registry.counter(
            "sekisho_breach_lookups_failed_total",
            help: "Passwords accepted because the list of breached passwords was not available.")
        let warning = ThrottledWarning()
        return .live(BreachedPasswordList(url: url), client: client) { error in
            failures.increment()
            if warning.mayWriteNow() {
                log.warning(
                    "list of breached passwords not available: passwords are accepted unchecked",
                    ["reason": .string("\(error)")])
            }
        }
    }
}
