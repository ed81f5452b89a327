internal import Dispatch

/// A closure of the app. It need not be `Sendable`, because it is called only on the main queue.
final class MainQueueHandler<Value: Sendable>: @unchecked Sendable {
    private let handler: (Value) -> Void

    init(_ handler: @escaping (Value) -> Void) { self.handler = handler }

    /// Call on the main queue.
    func call(_ value: Value) { handler(value) }
}

enum MainQueue {
    /// Waits until the blocks that are now in the main queue have run.
    static func drain() async {
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
        // A task, because the caller is synchronous.
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
