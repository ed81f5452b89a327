/// The result of presenting a refresh token.
///
/// The session stores the counter of the newest token that was issued. The newest token returns its successor. The
/// token before it returns the same successor again at any time, because the first response may have been lost. An
/// older token does so only during a short grace period after its successor was used; after that, two parties hold the
/// chain, and the session ends. A token ahead of the counter was issued before a database failover that lost its row: the
/// chain continues from it.
public enum Rotation: Hashable, Sendable {
    /// - Parameter counter: of the token to give out.
    case continues(Session, Account, counter: Int64)
    /// An old token was presented, and the session was ended.
    case stolen
    /// The session had already ended.
    case ended
    case accountDisabled
    /// The session does not exist any more: its account was deleted, or the session ended long ago.
    case removed
}
