/// The result of a request with a refresh token.
///
/// The session stores the counter of the newest token that was issued. What the client gets depends on the token that
/// it sends:
///
/// - The newest token: its successor, which is then the newest.
/// - The token before the newest: the newest again, at any time, because the first response may have been lost.
/// - An older token: the newest, but only during a short grace period after the older token's successor was used. After
///   that, the reuse means that two parties have tokens of the chain, and the session ends.
/// - A token with a counter higher than the stored one: its successor. The token was issued before a database failover
///   that lost the stored counter, so the chain continues from that token.
///
/// Without ``Policy/rotatesRefreshTokens``, the client gets the newest token for every token of the chain.
public enum Rotation: Hashable, Sendable {
    /// - Parameters:
    ///   - counter: the counter of the token to return.
    ///   - accountIsFirstSeen: whether the account neither signed in nor refreshed a token before on this UTC day.
    case continues(Session, Account, counter: Int64, accountIsFirstSeen: Bool)
    /// An older token was used after its grace period, so the session was ended.
    case stolen
    /// The session had already ended.
    case ended
    case accountDisabled
    /// The session no longer exists: its account was deleted, or the session ended long ago.
    case removed
}
