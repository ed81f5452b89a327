internal import Synchronization

extension Loop {
    /// Suspends the task. Uses a timer of the loop; `Task.sleep` would use another thread.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(for delay: Duration) async throws {
        let resumption = ResumeOnce()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                resumption.store(continuation)
                submit { [self] in
                    schedule(after: delay) { resumption.resume(with: .success(())) }
                }
            }
        } onCancel: {
            resumption.resume(with: .failure(CancellationError()))
        }
    }
}

/// A continuation that is resumed by the first of several events; later events do nothing.
private final class ResumeOnce: Sendable {
    private enum State {
        case waiting(CheckedContinuation<Void, any Error>?)
        case done(Result<Void, any Error>)
    }

    /// Synchronises the waiting task with the event that ends the wait.
    private let state = Mutex(State.waiting(nil))

    func store(_ continuation: CheckedContinuation<Void, any Error>) {
        let earlyResult: Result<Void, any Error>? = state.withLock { state in
            guard case .done(let result) = state else {
                state = .waiting(continuation)
                return nil
            }
            return result
        }
        if let earlyResult { continuation.resume(with: earlyResult) }
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
