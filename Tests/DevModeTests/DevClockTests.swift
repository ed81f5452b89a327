import Identity
import Testing

@testable import DevMode

@Suite("Clock of dev mode")
struct DevClockTests {
    private let clock = DevClock(machine: .fixed(at: Instant(seconds: 1000)))

    @Test("The clock follows the clock of the machine by default")
    func running() {
        #expect(clock.now == Instant(seconds: 1000))
        #expect(!clock.isFrozen)
    }

    @Test("Advances add up, with fractions of a second")
    func advancing() {
        #expect(clock.advance(by: .milliseconds(1500)))
        #expect(clock.advance(by: .milliseconds(1500)))
        #expect(clock.now == Instant(seconds: 1003))
        #expect(!clock.isFrozen)
    }

    @Test("A frozen clock stays frozen when it is advanced, until it is reset")
    func frozen() {
        clock.freeze(at: Instant(seconds: 10))
        #expect(clock.advance(by: .seconds(5)))
        #expect(clock.now == Instant(seconds: 15))
        #expect(clock.isFrozen)
        clock.reset()
        #expect(clock.now == Instant(seconds: 1000))
        #expect(!clock.isFrozen)
    }

    @Test("The clock cannot be advanced beyond the year 9999")
    func end() {
        clock.freeze(at: DevClock.range.upperBound)
        #expect(!clock.advance(by: .seconds(1)))
        #expect(clock.now == DevClock.range.upperBound)
    }
}
