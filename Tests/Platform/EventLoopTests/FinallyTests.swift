import EventLoop
import Testing

@Suite("Asynchronous cleanup")
struct FinallyTests {
    private struct Fault: Error {}

    @Test("Cleanup runs after the body, whether or not the body throws", arguments: [false, true])
    func order(fails: Bool) async throws {
        var steps: [String] = []
        do {
            try await perform {
                steps.append("body")
                if fails { throw Fault() }
            } finally: {
                steps.append("cleanup")
            }
            #expect(!fails)
        } catch is Fault {
            #expect(fails)
        }
        #expect(steps == ["body", "cleanup"])
    }
}
