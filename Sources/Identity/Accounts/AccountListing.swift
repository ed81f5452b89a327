internal import Encoding

/// A list of accounts, in an order that an index of the store has. The store reads a page without reading other
/// accounts, whatever the number of accounts is.
public enum AccountListing: Hashable, Sendable {
    public enum SortKey: Hashable, Sendable {
        case id, createdAt, email, displayName
    }

    /// All accounts. Those without the sort key come last, in the order of IDs.
    case all(by: SortKey, isDescending: Bool)
    /// In the order of creation.
    case disabled(isDescending: Bool)
    /// Accounts whose row has no sign-in method, in the order of creation. An account of this list that has an identity
    /// is no guest: identities are in another table, and an identity may have no address.
    case guestCandidates(isDescending: Bool)
    /// Accounts with an address of Apple that no longer forwards email, in the order of IDs.
    case relayStopped
    /// Accounts with an identity that has this `real_user_status`, in the order of IDs.
    case realUserStatus(Int)
    case idPrefix(IDPrefix)
    /// Accounts with an identity that has this address, in the order of IDs.
    case identityEmail(EmailAddress)
    /// Accounts whose names begin with a text, in upper or lower case, in the order of names.
    case namePrefix(String)
}

/// The last account of a page.
public struct AccountCursor: Hashable, Sendable {
    public enum SortValue: Hashable, Sendable {
        case time(Instant)
        case text(String)
    }

    /// `nil` in lists in the order of IDs, and for an account without the sort key.
    public let value: SortValue?
    public let id: ID<Account>

    public init(value: SortValue?, id: ID<Account>) {
        self.value = value
        self.id = id
    }
}

extension AccountListing {
    /// The maximum length of the beginning of a name by which accounts are sorted, in code points.
    static let nameLength = 256

    /// The position after `account`.
    public func cursor(after account: Account) -> AccountCursor {
        AccountCursor(value: sortValue(of: account), id: account.id)
    }

    private func sortValue(of account: Account) -> AccountCursor.SortValue? {
        switch self {
        case .all(by: .createdAt, _), .disabled, .guestCandidates: .time(account.createdAt)
        case .all(by: .email, _): account.email.map { .text($0.rawValue) }
        case .all(by: .displayName, _), .namePrefix:
            account.displayName.map {
                .text(String(String.UnicodeScalarView($0.unicodeScalars.prefix(Self.nameLength))))
            }
        case .all(by: .id, _), .relayStopped, .realUserStatus, .idPrefix, .identityEmail: nil
        }
    }

    /// Tells the kinds of lists apart in page tokens: those of two lists can have sort values of the same type.
    var code: String {
        switch self {
        case .all(let key, let isDescending): (isDescending ? "-" : "") + key.code
        case .disabled(let isDescending): isDescending ? "-d" : "d"
        case .guestCandidates(let isDescending): isDescending ? "-g" : "g"
        case .relayStopped: "r"
        case .realUserStatus: "s"
        case .idPrefix: "p"
        case .identityEmail: "m"
        case .namePrefix: "b"
        }
    }

    /// Whether ``cursor(after:)`` can return the cursor.
    public func accepts(_ cursor: AccountCursor) -> Bool {
        switch (self, cursor.value) {
        case (.all(by: .createdAt, _), .time), (.disabled, .time), (.guestCandidates, .time): true
        case (.all(by: .email, _), .text), (.all(by: .email, _), nil): true
        case (.all(by: .displayName, _), .text), (.all(by: .displayName, _), nil), (.namePrefix, .text): true
        case (.all(by: .id, _), nil), (.relayStopped, nil), (.realUserStatus, nil): true
        case (.idPrefix, nil), (.identityEmail, nil): true
        default: false
        }
    }
}

extension AccountListing.SortKey {
    fileprivate var code: String {
        switch self {
        case .id: "i"
        case .createdAt: "c"
        case .email: "e"
        case .displayName: "n"
        }
    }
}
