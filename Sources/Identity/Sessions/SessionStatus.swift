/// Why a session is not active.
public enum SessionEndReason: String, Hashable, Sendable, CaseIterable {
    // Stored with the session:

    /// The user ended this session.
    case revoked = "REVOKED"
    /// A used refresh token was sent again after its grace period, so two parties may have tokens of the session.
    case tokenReused = "TOKEN_REUSED"
    /// The identity that opened the session was unlinked.
    case signInMethodRemoved = "SIGN_IN_METHOD_REMOVED"
    /// The user disconnected the app at the provider.
    case providerRevoked = "PROVIDER_REVOKED"
    /// The account had more sessions than ``Policy/sessionLimit``, and this one was unused for the longest time.
    case limit = "LIMIT"
    /// Another session replaced this one: after a change of the second factors, or after another sign-in in the same
    /// browser on the gateway's sign-in page.
    case replaced = "REPLACED"
    /// The browser did not use the session for its idle time, or its time was over.
    case expired = "EXPIRED"

    // Derived from the account:

    /// All sessions of the account ended, for example because the password changed.
    case allRevoked = "ALL_REVOKED"
    /// The account is disabled. When it is enabled, all its sessions end.
    case accountDisabled = "ACCOUNT_DISABLED"
}

/// Whether a session is active, and since when and why it is not.
public struct SessionStatus: Hashable, Sendable {
    public let account: ID<Account>
    public let isActive: Bool
    /// `nil` if the session has not ended.
    public let endedAt: Instant?
    /// `nil` if the session is active, or if the reason is unknown.
    public let endReason: SessionEndReason?
    /// When the session ends in any case; `nil` if it can be renewed.
    private let expiresAt: Instant?

    /// - Parameters:
    ///   - endedAt: when the session ended alone; `nil` if it did not.
    ///   - endReason: why it ended alone.
    ///   - isOfCurrentGeneration: whether the session was opened in the account's present generation.
    ///   - validSince: when the sessions of earlier generations ended.
    public init(
        of account: ID<Account>, endedAt: Instant?, endReason: SessionEndReason?, isOfCurrentGeneration: Bool,
        accountIsDisabled: Bool, validSince: Instant, expiresAt: Instant? = nil
    ) {
        self.account = account
        self.expiresAt = expiresAt
        isActive = endedAt == nil && isOfCurrentGeneration && !accountIsDisabled
        if let endedAt {
            (self.endedAt, self.endReason) = (endedAt, endReason)
        } else if !isOfCurrentGeneration {
            (self.endedAt, self.endReason) = (validSince, .allRevoked)
        } else {
            (self.endedAt, self.endReason) = (nil, accountIsDisabled ? .accountDisabled : nil)
        }
    }
}

extension SessionStatus {
    /// The status at a time, when the session may have expired.
    func asOf(_ now: Instant) -> SessionStatus {
        guard isActive, let expiresAt, expiresAt <= now else { return self }
        return SessionStatus(
            of: account, endedAt: expiresAt, endReason: .expired, isOfCurrentGeneration: true,
            accountIsDisabled: false, validSince: expiresAt)
    }
}
