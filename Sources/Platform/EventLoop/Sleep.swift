internal import Synchronization

extension Loop {
    /// Waits without leaving the loop. `Task.sleep` would use another thread's timer.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(for delay: Duration) async throws {
        let slot = ResumeOnce()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                slot.hold(continuation)
                submit { [self] in
                    schedule(after: delay) { slot.resume(with: .success(())) }
                }
            }
        } onCancel: {
            slot.resume(with: .failure(CancellationError()))
        }
    }
}

/// A continuation that is resumed by the first of several events; later events do nothing.
private final class ResumeOnce: Sendable {
    private enum State {
        case waiting(CheckedContinuation<Void, any Error>?)
        case done(Result<Void, any Error>)
    }

    /// Guards the hand-over between the waiting task and the event that ends the wait.
    private let state = Mutex(State.waiting(nil))

    func hold(_ continuation: CheckedContinuation<Void, any Error>) {
        let early: Result<Void, any Error>? = state.withLock { state in
            guard case .done(let result) = state else {
                state = .waiting(continuation)
                return nil
            }
            return result
        }
        if let early { continuation.resume(with: early) }
    }

    func resume(with result: Result<Void, any Error>) {
        let waiting: CheckedContinuation<Void, any Error>? = state.withLock { state in
            guard case .waiting(let continuation) = state else { return nil }
            state = .done(result)
            return continuation
        }
        waiting?.resume(with: result)
    }
}
