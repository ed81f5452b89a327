import Synchronization
import Telemetry
import Testing

@testable import Gateway

@Suite("Metric of waiting emails")
struct WaitingEmailsTests {
    struct CountFailed: Error {}

    @Test("The count of waiting emails is NaN before the first count and after a failed count")
    func failure() async throws {
        let metrics = Metrics()
        let results = Mutex<[Result<Int, CountFailed>]>([.success(3), .failure(CountFailed()), .success(0)])
        let waiting = WaitingEmailsMetric(metrics: metrics) { try results.withLock { $0.removeFirst() }.get() }
        func metric() -> String? { metrics.render().split(separator: "\n").last.map(String.init) }
        #expect(metric() == "sekisho_email_waiting NaN")
        try await waiting.update()
        #expect(metric() == "sekisho_email_waiting 3")
        await #expect(throws: CountFailed.self) { try await waiting.update() }
        #expect(metric() == "sekisho_email_waiting NaN")
        try await waiting.update()
        #expect(metric() == "sekisho_email_waiting 0")
    }
}
