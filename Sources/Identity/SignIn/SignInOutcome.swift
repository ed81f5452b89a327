/// The result of a sign-in that was not rejected.
public enum SignInOutcome: Sendable {
    case signedIn(SignedIn)
    /// No user was signed in. The sign-in waits for a second factor of the account, and nothing of it was stored.
    case secondFactorRequired(SecondFactorChallenge)
    /// No user was signed in. The owner of the account that has the address may link the identity with `pendingToken`.
    ///
    /// - Parameters:
    ///   - existing: `nil` if the client must not learn anything about that account.
    ///   - isRecycled: whether the provider may have given the address to another user; see
    ///     ``LinkingDecision/confirm(_:isRecycled:)``. `false` if `existing` is `nil`.
    case confirmationNeeded(existing: Account?, isRecycled: Bool, pendingToken: String)
    /// No user was signed in. `pendingToken` can be used like the proof that the request contained.
    case conflict(LinkRefusal, pendingToken: String)
    /// No user was signed in. The account of another user has the proven telephone number, or may have it no more.
    case phoneConflict(PhoneConflict)
}
