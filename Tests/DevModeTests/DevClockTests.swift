import Identity
import Testing

@testable import DevMode

@Suite("The clock of dev mode")
struct DevClockTests {
    private let clock = DevClock(machine: .fixed(at: Instant(seconds: 1000)))

    @Test("follows the clock of the machine by default")
    func running() {
        #expect(clock.now == Instant(seconds: 1000))
        #expect(!clock.isFrozen)
    }

    @Test("accumulates advances, with fractions of a second")
    func advancing() {
        #expect(clock.advance(by: .milliseconds(1500)))
        #expect(clock.advance(by: .milliseconds(1500)))
        #expect(clock.now == Instant(seconds: 1003))
        #expect(!clock.isFrozen)
    }

    @Test("stays frozen, and advances from there")
    func frozen() {
        clock.freeze(at: Instant(seconds: 10))
        #expect(clock.advance(by: .seconds(5)))
        #expect(clock.now == Instant(seconds: 15))
        #expect(clock.isFrozen)
        clock.reset()
        #expect(clock.now == Instant(seconds: 1000))
        #expect(!clock.isFrozen)
    }

    @Test("stays within years of four digits")
    func end() {
        clock.freeze(at: DevClock.range.upperBound)
        #expect(!clock.advance(by: .seconds(1)))
        #expect(clock.now == DevClock.range.upperBound)
    }
}
