/// What was added to an account at a time or later, and is removed because an intruder may have added it. The password,
/// the address and the sessions have rules of their own.
public struct Additions: Hashable, Sendable {
    public enum Kind: Hashable, Sendable, CaseIterable {
        case identities
        case passkeys
        case phoneNumber
        /// Second factors and recovery codes.
        case factors
    }

    /// `nil` if all additions are removed: the time of an imported one can be any.
    public let since: Instant?
    public let kinds: Set<Kind>

    public init(of kinds: Set<Kind> = Set(Kind.allCases), since: Instant?) {
        self.since = since
        self.kinds = kinds
    }

    /// All additions of these kinds.
    public static func all(_ kinds: Set<Kind>) -> Additions { Additions(of: kinds, since: nil) }

    /// All that an account has.
    public static let everything = Additions(since: nil)

    /// - Parameter time: `nil` if it is unknown; then the addition is included only if its time does not matter.
    public func includes(_ kind: Kind, addedAt time: Instant?) -> Bool {
        guard kinds.contains(kind) else { return false }
        guard let since else { return true }
        return time.map { $0 >= since } ?? false
    }
}

extension AccountUpdate {
    /// Removes from the row of an account what its creator stored there, when the account goes to the user who has proven
    /// its address. The identities, passkeys and factors have rows of their own; see ``Additions/everything``.
    public static let reclaim: AccountUpdate = {
        var update = AccountUpdate()
        update.passwordHash = .remove
        update.phoneNumber = .remove
        update.removesInitialEmail = true
        update.profile = .removal
        update.usesEmailLinks = false
        update.endsSessions = true
        return update
    }()
}
