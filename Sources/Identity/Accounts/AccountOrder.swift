/// The sort order of accounts; equal accounts are sorted by ID. Accounts without the sort key come last.
public struct AccountOrder: Hashable, Sendable {
    public enum Field: Hashable, Sendable {
        case id
        case email
        case createdAt
        case name
        /// Sorting by this field reads all accounts, because an index would have to be updated at every sign-in.
        case lastSignInAt
    }

    public var field: Field
    public var isDescending: Bool

    public init(_ field: Field, isDescending: Bool = false) {
        self.field = field
        self.isDescending = isDescending
    }
}

/// Why accounts were not listed.
public enum QueryRefusal: Refusal, Hashable {
    /// The accounts could not be sorted within the time limit.
    case tooLong
}

extension QueryRefusal {
    public var code: ErrorCode {
        switch self {
        case .tooLong: .queryDeadlineExceeded
        }
    }

    public var detail: String? {
        "There are too many accounts to sort by this field. Sort by USER_ID, CREATED_AT or USER_EMAIL."
    }
}

/// A search text, read as an email address and as a phone number. At most one of them is set.
public struct ContactIdentifiers: Hashable, Sendable {
    public let email: EmailAddress?
    public let phoneNumber: PhoneNumber?

    public init(_ text: String) {
        email = EmailAddress(text)
        phoneNumber = PhoneNumber(text)
    }

    public var references: [AccountReference] {
        [email.map { .email($0) }, phoneNumber.map { .phoneNumber($0) }].compactMap(\.self)
    }
}

/// A prefix of account IDs.
public struct IDPrefix: Hashable, Sendable {
    public let text: String
    /// The exclusive upper bound of all texts with the prefix, by code points; `nil` if there is none.
    public let end: String?

    /// - Returns: `nil` if no ID can begin with the text.
    public init?(_ text: String) {
        guard ID<Account>.isValid(text) else { return nil }
        self.text = text
        var scalars = Array(text.unicodeScalars)
        while let last = scalars.popLast() {
            guard let next = last.successor else { continue }
            scalars.append(next)
            end = String(String.UnicodeScalarView(scalars))
            return
        }
        end = nil
    }
}

extension Unicode.Scalar {
    /// The next code point, without surrogates; `nil` after the last one.
    fileprivate var successor: Unicode.Scalar? {
        value == 0xD7FF ? Unicode.Scalar(0xE000 as UInt32) : Unicode.Scalar(value + 1)
    }
}
