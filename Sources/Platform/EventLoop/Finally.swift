/// Runs `body` and then `cleanup`, even if `body` throws, and returns the result of `body`. Unlike the block of a
/// `defer`, `cleanup` can be asynchronous.
public func perform<Value>(
    _ body: () async throws -> Value, finally cleanup: () async -> Void
) async throws -> Value {
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    await cleanup()
    return try result.get()
}
