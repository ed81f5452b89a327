import Email
import Testing

@Suite("Patience")
struct DeliveryBackoffTests {
    @Test(
        "doubles from half a minute to an hour",
        arguments: [(1, 30), (2, 60), (3, 120), (7, 1920), (8, 3600), (9, 3600), (1000, 3600), (0, 30)])
    func doubling(attempts: Int, seconds: Int) {
        #expect(DeliveryBackoff.delay(after: attempts, chance: 0.5) == .seconds(seconds))
    }

    @Test(
        "differs by up to a quarter, by chance", arguments: [(0.0, 22_500), (1.0, 37_500), (-1, 22_500), (2, 37_500)])
    func chance(chance: Double, milliseconds: Int) {
        #expect(DeliveryBackoff.delay(after: 1, chance: chance) == .milliseconds(milliseconds))
    }
}
