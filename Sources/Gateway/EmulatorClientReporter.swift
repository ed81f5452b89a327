internal import Telemetry

/// Counts the requests of `serve` that have the token of an emulator's administrator, and warns the operator: such a
/// backend accepts unsigned tokens from everyone.
final class EmulatorClientReporter: Sendable {
    private let counter: Counter
    private let log: Log
    private let warning = ThrottledWarning(interval: .seconds(60))

    init(log: Log, metrics: Metrics) {
        self.log = log
        counter = metrics.counter(
            "sekisho_emulator_clients_total",
            help: "Requests with the token of an emulator's administrator (Bearer owner).")
    }

    func report() {
        counter.increment()
        guard warning.mayWriteNow() else { return }
        log.warning(
            "a client takes this gateway for an emulator: unset FIREBASE_AUTH_EMULATOR_HOST in the backend, which accepts "
                + "unsigned tokens as long as the variable is set")
    }
}
