/// Why a store did not apply a write. Nothing of the write was applied, unless the method documents otherwise.
public enum StoreConflict: Error, Hashable {
    /// The account or the session has changed since the caller read it. The caller has to read again and decide again.
    case stale
    /// Another account already has this member.
    case taken(UniqueMember)
    /// A single-use value (code, nonce, pending token, merge token) was used before.
    case alreadyUsed
    case notFound
    /// The write would remove the account's last sign-in method.
    case lastSignInMethod
}

/// Runs `attempt` again while it fails with a conflict that another transaction caused, at most five times.
///
/// - Parameters:
///   - isConflict: whether the error is such a conflict. Any other error is rethrown at once.
///   - pause: waited before the next attempt, in milliseconds, so that the other transaction can finish.
///   - attempt: gets the number of the attempt, counted from 1.
/// - Throws: ``PersistentConflict`` after the last attempt.
public func retryingConflicts<Value>(
    where isConflict: (any Error) -> Bool = { $0 as? StoreConflict == .stale }, pause: ClosedRange<Int>? = nil,
    _ attempt: (_ number: Int) async throws -> sending Value
) async throws -> sending Value {
    let attempts = 5
    for number in 1...attempts {
        do {
            return try await attempt(number)
        } catch let error where isConflict(error) {
            if let pause { try await Task.sleep(for: .milliseconds(Int.random(in: pause))) }
        }
    }
    throw PersistentConflict(attempts: attempts)
}

/// Other transactions changed the same rows during every attempt. Nothing was applied, and a retry may succeed.
public struct PersistentConflict: Error {
    public let attempts: Int

    public init(attempts: Int) {
        self.attempts = attempts
    }
}
