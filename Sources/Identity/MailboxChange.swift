/// What changes of an account by the proof that a mailbox is somebody's. Every change is decided on the account as it was
/// read, and carried out only while it is still so.
public struct MailboxChange: Hashable, Sendable {
    public let account: Account
    /// The address that the account has afterwards; proven, if there is any.
    public var email: Email?
    public var passwordHash: AccountChange.Value<String>?
    /// Identities that were linked at that time or later go.
    public var unlinksSince: Instant?
    /// What could lead its maker back, and what the maker said of himself: phone number, name, picture.
    public var removesTraces = false
    public var usesEmailLinks: Bool
    /// Moves the generation and `validSince` on.
    public var endsSessions = false
    /// Ways back to an earlier address that were given at that time or later are void.
    public var voidsRecoverySince: Instant?
    public var event: Event?

    /// What others have to be told.
    public enum Event: Hashable, Sendable {
        case reclaimed
        case disavowed
    }

    private static let everSince = Instant(microseconds: 0)

    private init(_ account: Account) {
        self.account = account
        email = account.email
        usesEmailLinks = account.usesEmailLinks
    }

    public static func verifying(_ account: Account) -> MailboxChange { MailboxChange(account) }

    public static func changing(_ account: Account, to email: Email) -> MailboxChange {
        var change = MailboxChange(account)
        change.email = email
        change.endsSessions = true
        return change
    }

    /// Back to the address that `code` was sent to. What was added since it was left is not believed to be its owner's.
    public static func recovering(_ account: Account, by code: OOBCode) -> MailboxChange {
        var change = MailboxChange(account)
        change.email = code.email
        change.endsSessions = true
        change.unlinksSince = code.createdAt
        change.voidsRecoverySince = code.createdAt
        if let setAt = account.passwordUpdatedAt, setAt >= code.createdAt { change.passwordHash = .remove }
        return change
    }

    /// An account whose address was never proven goes to whom the mailbox belongs to; see ``reclaiming(_:)``.
    public static func resetting(
        _ account: Account, to passwordHash: String, by policy: Policy
    ) -> MailboxChange {
        var change = account.emailIsVerified ? MailboxChange(account) : reclaiming(account)
        change.passwordHash = .set(passwordHash)
        change.endsSessions = true
        change.voidsRecoverySince = everSince
        if policy.resetUnlinksIdentities { change.unlinksSince = everSince }
        return change
    }

    public static func signingIn(_ account: Account) -> MailboxChange {
        var change = account.emailIsVerified ? MailboxChange(account) : reclaiming(account)
        change.usesEmailLinks = true
        return change
    }

    /// The mailbox becomes the caller's own; another address than before ends every other session.
    public static func linking(_ email: Email, to caller: Account) -> MailboxChange {
        var change = MailboxChange(caller)
        change.email = email
        change.usesEmailLinks = true
        change.endsSessions = caller.email != nil && caller.email != email
        return change
    }

    /// Whoever has the mailbox says that the account is not theirs: it loses the address, and what goes with it.
    public static func disavowing(_ account: Account) -> MailboxChange {
        var change = MailboxChange(account)
        change.email = nil
        change.passwordHash = account.hasPassword ? .remove : nil
        change.usesEmailLinks = false
        change.endsSessions = true
        change.voidsRecoverySince = everSince
        change.event = .disavowed
        return change
    }

    /// Whoever made the account never proved the address. Nothing by which they could come back stays.
    private static func reclaiming(_ account: Account) -> MailboxChange {
        var change = MailboxChange(account)
        change.passwordHash = account.hasPassword ? .remove : nil
        change.unlinksSince = everSince
        change.removesTraces = true
        change.usesEmailLinks = false
        change.endsSessions = true
        change.voidsRecoverySince = everSince
        change.event = .reclaimed
        return change
    }

    /// The generation that a session opened with this change has.
    var generation: Int64 { account.generation + (endsSessions ? 1 : 0) }
}
