/// Runs asynchronous operations one after another, in the order of the calls.
final class SerialTaskQueue: Sendable {
    private struct State {
        var isRunning = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// The number of operations that wait for others.
    var waitingCount: Int { state.current.waiting.count }

    func run<Result: Sendable>(_ operation: () async throws -> Result) async rethrows -> Result {
        await acquire()
        defer { release() }
        return try await operation()
    }

    private func acquire() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isRunning { state.waiting.append(continuation) }
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if isFree { continuation.resume() }
        }
    }

    private func release() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            if state.waiting.isEmpty {
                state.isRunning = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
