import FoundationEssentials
import Testing

@testable import Identity

/// Explores, breadth first, every sequence of steps of an intruder and an owner in a small ``World``.
@Suite("Remedies after every sequence of steps")
struct ExhaustiveRemedyTests {
    struct Start: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The owner's sign-up counts as a step.
        var stepsTaken = 1
        let world: @Sendable () -> World
    }

    private static let starts = [
        Start(testDescription: "the owner has no account yet", stepsTaken: 0) { World().canonical() },
        Start(testDescription: "the intruder knows the password of the owner's account") {
            var world = World()
            let id = world.insert(
                World.Member(
                    id: 1, mailbox: .owner, isVerified: true, passwordTime: 1, passwordIsKnown: true, createdAt: 1))
            world.sessions = [id]
            return world.canonical()
        },
        Start(testDescription: "the intruder knows the password of the owner's account, but not the second factor") {
            var world = World()
            _ = world.insert(
                World.Member(
                    id: 1, mailbox: .owner, isVerified: true, passwordTime: 1, passwordIsKnown: true, factorTime: 2,
                    createdAt: 1))
            world.now = 3
            return world.canonical()
        },
        Start(testDescription: "the intruder has a session of an account whose address only Google has verified") {
            var world = World()
            world.sessions = [world.present(.ownerGoogle)].compactMap(\.self).reduce(into: []) { $0.insert($1) }
            return world.canonical()
        },
    ]

    /// Five steps; another number with the environment variable `REMEDY_STEPS`.
    private static let depth = ProcessInfo.processInfo.environment["REMEDY_STEPS"].flatMap(Int.init) ?? 5

    @Test("After any remedy of the owner, the intruder has no way into the account", arguments: starts)
    func exhaustive(start: Start) {
        let firstWorld = start.world()
        var seen: Set<World> = [firstWorld]
        var frontier: [(world: World, history: [World.Step])] = [(firstWorld, [])]
        var remedyCount = 0
        for depth in start.stepsTaken...Self.depth {
            for (world, history) in frontier {
                for remedy in world.remedies {
                    remedyCount += 1
                    let ways = remedy.after.waysIn(remedy.account)
                    guard ways.isEmpty else {
                        Issue.record("\(ways) after \(history), then \(remedy.name)")
                        return
                    }
                }
            }
            guard depth < Self.depth else { break }
            frontier = frontier.flatMap { world, history in
                world.steps.compactMap { step in
                    let after = world.after(step)
                    return seen.insert(after).inserted ? (after, history + [step]) : nil
                }
            }
        }
        // If there were few remedies, the test would prove little.
        #expect(remedyCount > 100)
    }
}
