internal import Dispatch

/// A closure of the app that is called on the main queue only, which is why it need not be `Sendable`.
final class MainQueueHandler<Value: Sendable>: @unchecked Sendable {
    private let handler: (Value) -> Void

    init(_ handler: @escaping (Value) -> Void) { self.handler = handler }

    /// Call on the main queue.
    func call(_ value: Value) { handler(value) }
}

enum MainQueue {
    /// Returns after everything that is in the main queue now.
    static func drained() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async { continuation.resume() }
        }
    }

    /// Runs an operation and calls its completion handler on the main queue.
    static func complete<Value: Sendable>(
        _ completion: ((Value?, (any Error)?) -> Void)?, _ operation: @escaping @Sendable () async throws -> Value
    ) {
        let handler = MainQueueHandler<Result<Value, any Error>> { result in
            switch result {
            case .success(let value): completion?(value, nil)
            case .failure(let error): completion?(nil, error)
            }
        }
        // The caller of a method with a completion handler does not wait.
        Task {
            let result: Result<Value, any Error>
            do { result = .success(try await operation()) } catch { result = .failure(error) }
            DispatchQueue.main.async { handler.call(result) }
        }
    }

    /// Runs an operation without a result and calls its completion handler on the main queue.
    static func complete(
        _ completion: (((any Error)?) -> Void)?, _ operation: @escaping @Sendable () async throws -> Void
    ) {
        complete({ (_: Bool?, error) in completion?(error) }) {
            try await operation()
            return true
        }
    }
}
