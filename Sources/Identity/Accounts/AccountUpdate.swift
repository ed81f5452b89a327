/// New values for members of an account; `nil` leaves a member as it is.
///
/// Clients, administrators, email action codes and merges all change accounts by this value.
public struct AccountUpdate: Hashable, Sendable {
    /// A member's new value.
    public enum Value<Content: Hashable & Sendable>: Hashable, Sendable {
        case set(Content)
        case remove

        /// - Parameter content: `nil` removes the member.
        public init(_ content: Content?) {
            self = content.map { .set($0) } ?? .remove
        }
    }

    /// Which sessions of the account end. An ended session cannot be refreshed, and its ID tokens are void.
    public enum SessionEffect: Hashable, Sendable {
        case keep
        case endAll
        /// All sessions end if the update enables the account, changes its email address or its password, removes its
        /// password, or sets ``AccountUpdate/validSince``. Disabling ends none, because each token of a disabled account
        /// is rejected with that reason.
        case endAllIfCredentialsChange
    }

    public var displayName: Value<String>?
    public var photoURL: Value<String>?
    /// A new address is unverified, unless ``emailIsVerified`` says otherwise.
    public var email: Value<EmailAddress>?
    public var emailIsVerified: Bool?
    /// In E.164, with the plus sign.
    public var phoneNumber: Value<String>?
    public var passwordHash: Value<String>?
    public var usesEmailLinks: Bool?
    public var customClaims: Claims?
    public var isDisabled: Bool?
    public var validSince: Instant?
    public var createdAt: Instant?
    public var lastSignInAt: Instant?
    public var sessions = SessionEffect.keep

    public init() {}
}
