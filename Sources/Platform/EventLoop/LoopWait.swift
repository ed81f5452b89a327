extension Loop {
    /// Runs `work` on the loop and blocks the calling thread until it is done: for the main thread, at start and end.
    public func waitFor<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
        precondition(!isCurrent, "a loop cannot wait for itself")
        let outcome = Monitor<Result<Value, any Error>?>(nil)
        Task(executorPreference: self) {
            let result: Result<Value, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
            outcome.wakeAll()
        }
        return try outcome.waitUntil { $0 }.get()
    }
}
