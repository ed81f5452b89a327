/// What was added to an account since some time, and is removed because an attacker may have added it. The password,
/// the address and the sessions have separate rules.
public struct Additions: Hashable, Sendable {
    public enum Kind: Hashable, Sendable, CaseIterable {
        case identities
        case passkeys
        case phoneNumber
        /// Second factors and recovery codes.
        case factors
    }

    /// `nil` if additions are removed whatever their time, because the time of an imported one is not reliable.
    public let since: Instant?
    public let kinds: Set<Kind>

    public init(of kinds: Set<Kind> = Set(Kind.allCases), since: Instant?) {
        self.since = since
        self.kinds = kinds
    }

    /// All additions of these kinds.
    public static func all(_ kinds: Set<Kind>) -> Additions { Additions(of: kinds, since: nil) }

    /// Everything that was ever added.
    public static let everything = Additions(since: nil)

    /// - Parameter time: `nil` if it is unknown; then the addition is included only if its time does not matter.
    public func includes(_ kind: Kind, addedAt time: Instant?) -> Bool {
        guard kinds.contains(kind) else { return false }
        guard let since else { return true }
        return time.map { $0 >= since } ?? false
    }
}

extension AccountUpdate {
    /// Removes from an account's row what its creator stored there, when the account goes to the user who has proven
    /// its address. Identities, passkeys and factors are in other tables; see ``Additions/everything``.
    public static let reclaim: AccountUpdate = {
        var update = AccountUpdate()
        update.passwordHash = .remove
        update.phoneNumber = .remove
        update.removesInitialEmail = true
        update.vouchedEmail = .remove
        update.profile = .removal
        update.usesEmailLinks = false
        update.endsSessions = true
        return update
    }()
}
