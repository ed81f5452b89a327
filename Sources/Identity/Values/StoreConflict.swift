/// Why a store did not apply a write. Nothing of the write was applied, unless the method documents otherwise.
public enum StoreConflict: Error, Hashable {
    /// The account or the session has changed since the caller read it. The caller has to read it again and repeat the
    /// decision.
    case stale
    /// Another account already has the same value of this member.
    case taken(UniqueMember)
    /// A single-use value (code, nonce, pending token, merge token) was used before.
    case alreadyUsed
    case notFound
    /// The write would remove the account's last sign-in method.
    case lastSignInMethod
}

/// Runs `attempt` at most five times, as long as it fails with a conflict that another transaction caused.
///
/// - Parameters:
///   - isConflict: whether the error is such a conflict. Any other error is rethrown at once.
///   - pause: the range of the random delay before the next attempt, so that the other transaction can finish; `nil`
///     for no delay.
///   - attempt: the operation; its argument is the number of the attempt, counted from 1.
/// - Throws: ``PersistentConflict`` after the last attempt.
public func retryingConflicts<Value>(
    where isConflict: (any Error) -> Bool = { $0 as? StoreConflict == .stale || $0 is ChangedDuringHooks },
    pauseMilliseconds pause: ClosedRange<Int>? = nil,
    _ attempt: (_ number: Int) async throws -> sending Value
) async throws -> sending Value {
    let attempts = 5
    for number in 1...attempts {
        do {
            return try await attempt(number)
        } catch let error where isConflict(error) {
            if let pause, number < attempts { try await Task.sleep(for: .milliseconds(Int.random(in: pause))) }
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

/// Runs a write to a store. If the write throws a ``StoreConflict`` for which there is a refusal, throws the refusal.
/// Otherwise rethrows the conflict: the operation either tries again or fails with an internal error.
///
/// - Parameter refusal: an exhaustive mapping, which stands beside the service that it serves. A new conflict therefore
///   does not compile until each service has decided about it.
func mappingConflicts<Value: Sendable>(
    to refusal: (StoreConflict) -> (any Refusal)?, _ write: () async throws -> Value
) async throws -> Value {
    do {
        return try await write()
    } catch let conflict as StoreConflict {
        throw refusal(conflict) ?? conflict
    }
}
