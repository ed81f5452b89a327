/// Runs `count` calls concurrently, each with its number from 0, and returns their results in the order in which the
/// calls finish.
func concurrently<Value: Sendable>(
    _ count: Int, _ call: @escaping @Sendable (_ number: Int) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
        for number in 0..<count { group.addTask { try await call(number) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}
