import EventLoop
import Synchronization
import Testing

@Suite("Long work on an event loop", .timeLimit(.minutes(5)))
struct SlicesTests {
    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .relaxed) }
        func set() { value.store(true, ordering: .relaxed) }
    }

    let loop: Loop

    init() throws { loop = try Loop(name: "test") }

    @Test("A map in slices lets other tasks run between the slices")
    func slices() async {
        let isMapped = Flag()
        let (mapped, turns) = await Task(executorPreference: loop) { [loop] in
            // Begins when this task yields.
            let mapping = Task(executorPreference: loop) {
                defer { isMapped.set() }
                return await (0..<1000).mapInSlices(of: 10) { $0 * 2 }
            }
            var turns = 0
            while !isMapped.isSet {
                turns += 1
                await Task.yield()
            }
            return (await mapping.value, turns)
        }.value
        #expect(mapped == (0..<1000).map { $0 * 2 })
        #expect(turns > 50)
        loop.stop()
    }

    @Test("A task that yields takes few long steps before the loop serves its sockets")
    func longSteps() async {
        let isServed = Flag()
        let steps = await Task(executorPreference: loop) { [loop] in
            // The loop learns of this call through a descriptor, as of a request.
            loop.submit { isServed.set() }
            var steps = 0
            while !isServed.isSet {
                let end = ContinuousClock.now + .milliseconds(1)
                while ContinuousClock.now < end {}
                steps += 1
                await Task.yield()
            }
            return steps
        }.value
        #expect(steps < 20)
        loop.stop()
    }
}
