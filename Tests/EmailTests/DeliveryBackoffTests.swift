import Email
import Testing

@Suite("Delivery backoff")
struct DeliveryBackoffTests {
    @Test(
        "the delay doubles from 30 seconds to one hour",
        arguments: [(1, 30), (2, 60), (3, 120), (7, 1920), (8, 3600), (9, 3600), (1000, 3600), (0, 30)])
    func doubling(attempts: Int, seconds: Int) {
        #expect(DeliveryBackoff.delay(after: attempts, jitter: 0.5) == .seconds(seconds))
    }

    @Test(
        "jitter changes the delay by up to a quarter",
        arguments: [(0.0, 22_500), (1.0, 37_500), (-1, 22_500), (2, 37_500)])
    func jitter(jitter: Double, milliseconds: Int) {
        #expect(DeliveryBackoff.delay(after: 1, jitter: jitter) == .milliseconds(milliseconds))
    }
}
