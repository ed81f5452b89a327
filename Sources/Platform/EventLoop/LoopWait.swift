extension Loop {
    /// Runs `work` on the loop and blocks the calling thread until it has finished. For the main thread, at start-up
    /// and shutdown.
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
