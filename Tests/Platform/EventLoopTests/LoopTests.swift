import CSystem
import EventLoop
import Synchronization
import Testing

@Suite("Event loops")
struct LoopTests {
    let loop: Loop

    init() throws { loop = try Loop(name: "test") }

    @Test("A task that prefers the loop runs on it before and after a sleep")
    func tasks() async throws {
        let places = await Task(executorPreference: loop) { [loop] in
            let before = loop.isCurrent
            // The task is never cancelled.
            try? await loop.sleep(for: .milliseconds(5))
            return [before, loop.isCurrent]
        }.value
        #expect(places == [true, true])
        loop.stop()
    }

    @Test("Timers fire in the order of their deadlines, except cancelled ones")
    func timers() async throws {
        let fired = await withCheckedContinuation { continuation in
            loop.submit { [loop] in
                var fired: [Int] = []
                loop.schedule(after: .milliseconds(20)) { fired.append(3) }
                loop.schedule(after: .milliseconds(1)) { fired.append(1) }
                let cancelled = loop.schedule(after: .milliseconds(5)) { fired.append(9) }
                loop.schedule(after: .milliseconds(10)) { fired.append(2) }
                loop.schedule(after: .milliseconds(30)) { continuation.resume(returning: fired) }
                loop.cancel(cancelled)
            }
        }
        #expect(fired == [1, 2, 3])
        loop.stop()
    }

    @Test("A loop runs even if nothing refers to it when its thread begins")
    func unreferenced() async throws {
        loop.stop()
        for _ in 0..<20 {
            weak var unreferenced: Loop?
            try await withCheckedThrowingContinuation { continuation in
                do {
                    let loop = try Loop(name: "test")
                    unreferenced = loop
                    loop.submit { continuation.resume() }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
            try #require(unreferenced).stop()
        }
    }

    @Test("A loop that cannot start leaves no descriptor open")
    func failedStart() async {
        loop.stop()
        await #expect(processExitsWith: .success) {
            var descriptorLimit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptorLimit)
            // The process has inherited the descriptors of the tests that run now.
            let lowestFree = dup(STDERR_FILENO)
            close(lowestFree)
            descriptorLimit.rlim_cur = rlim_t(lowestFree) + 64
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptorLimit)
            var released = false
            // A loop needs two descriptors. The process may open or close another descriptor meanwhile.
            for _ in 0..<100 where !released {
                do {
                    try Self.loopAfterLeavingOneDescriptor().stop()
                } catch is SystemError {
                    // Succeeds only if the failed loop closed its first descriptor.
                    let descriptor = epoll_create1(0)
                    released = descriptor >= 0
                    close(descriptor)
                }
            }
            try #require(released)
        }
    }

    /// Opens as many descriptors as the process may have, closes one of them, and creates a loop.
    private static func loopAfterLeavingOneDescriptor() throws -> Loop {
        var last: Int32 = -1
        while case let descriptor = dup(STDERR_FILENO), descriptor >= 0 { last = descriptor }
        close(last)
        return try Loop(name: "test")
    }

    @Test("A cancelled sleep ends with CancellationError")
    func cancelledSleep() async throws {
        let sleeper = Task(executorPreference: loop) { [loop] in try await loop.sleep(for: .seconds(3600)) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        loop.stop()
    }

    @Test("A loop runs all work that concurrent tasks submit")
    func handOver() async throws {
        let sum = await withTaskGroup(of: Int.self) { group in
            for number in 1...200 {
                group.addTask { [loop] in
                    await Task(executorPreference: loop) { number }.value
                }
            }
            return await group.reduce(0, +)
        }
        #expect(sum == 200 * 201 / 2)
        loop.stop()
    }

    @Test("Callbacks for the end of an iteration run after its tasks, without waiting for events")
    func endOfIteration() async throws {
        final class Record: Sendable {
            let events = Mutex<[String]>([])
            func append(_ event: String) { events.withLock { $0.append(event) } }
        }
        let record = Record()
        await withCheckedContinuation { continuation in
            loop.submit { [loop] in
                loop.atEndOfIteration {
                    record.append("end")
                    loop.atEndOfIteration {
                        record.append("end again")
                        continuation.resume()
                    }
                }
                Task(executorPreference: loop) { record.append("task") }
                record.append("call")
            }
        }
        #expect(record.events.withLock { $0 } == ["call", "task", "end", "end again"])
        loop.stop()
    }
}
