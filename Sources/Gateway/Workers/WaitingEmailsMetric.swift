internal import Synchronization
internal import Telemetry

/// Counts the emails that wait to be sent, for a metric. Delivers none of them.
final class WaitingEmailsMetric: Sendable {
    /// `nil` before the first count, and while counting fails.
    private let last = Mutex<Int?>(nil)
    private let count: @Sendable () async throws -> Int

    init(metrics: Metrics, count: @escaping @Sendable () async throws -> Int) {
        self.count = count
        metrics.gauge(
            "sekisho_email_waiting",
            help: "Emails that wait to be sent, counted every 15 seconds. NaN while they cannot be counted."
        ) { [weak self] in self?.last.withLock { $0.map(Double.init) } ?? .nan }
    }

    var worker: Worker { Worker(name: "email count", pause: { .seconds(15) }, run: update) }

    func update() async throws {
        do {
            let count = try await count()
            last.withLock { $0 = count }
        } catch {
            last.withLock { $0 = nil }
            throw error
        }
    }
}
