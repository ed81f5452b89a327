import Identity
import Testing

@testable import Webhooks

@Suite("Circuit breakers of blocking functions")
struct HookCircuitTests {
    private static let url = CallbackURL(stored: "https://hooks.example.com/function")

    private static func key(_ project: String, _ url: CallbackURL = url) -> HookCircuits.Key {
        HookCircuits.Key(project: ID(project), url: url)
    }

    @Test("A project that names the function of another one uses up only its own calls")
    func calls() {
        let (circuits, now) = (HookCircuits(), ContinuousClock.now)
        for _ in 0..<HookCircuits.concurrencyLimit { #expect(circuits.begin(Self.key("hostile"), at: now)) }
        #expect(!circuits.begin(Self.key("hostile"), at: now))
        #expect(circuits.begin(Self.key("demo"), at: now))
        circuits.end(Self.key("hostile"), .reached, at: now)
        #expect(circuits.begin(Self.key("hostile"), at: now))
    }

    @Test("Failures of one project do not stop the calls of another one to the same function")
    func failures() {
        let (circuits, now) = (HookCircuits(), ContinuousClock.now)
        for _ in 0..<HookCircuits.failureLimit {
            #expect(circuits.begin(Self.key("hostile"), at: now))
            circuits.end(Self.key("hostile"), .failed, at: now)
        }
        #expect(!circuits.begin(Self.key("hostile"), at: now))
        #expect(circuits.begin(Self.key("hostile"), at: now + .seconds(1)), "one call a second")
        for _ in 0..<2 { #expect(circuits.begin(Self.key("demo"), at: now)) }
        #expect(circuits.openCount == 1)
    }

    @Test("The functions of a project have circuits of their own")
    func functions() {
        let (circuits, now) = (HookCircuits(), ContinuousClock.now)
        let other = CallbackURL(stored: "https://hooks.example.com/other")
        for _ in 0..<HookCircuits.concurrencyLimit { #expect(circuits.begin(Self.key("demo"), at: now)) }
        #expect(circuits.begin(Self.key("demo", other), at: now))
    }
}
