/// The sort order of accounts. Accounts with equal sort keys are sorted by ID. Accounts without a sort key come last.
public struct AccountOrder: Hashable, Sendable {
    public enum Field: Hashable, Sendable {
        case id
        case email
        case createdAt
        case displayName
        /// Sorting by this field reads all accounts. There is no index, because every sign-in would have to update it.
        case lastSignInAt
    }

    public var field: Field
    public var isDescending: Bool

    public init(_ field: Field, isDescending: Bool = false) {
        self.field = field
        self.isDescending = isDescending
    }
}
