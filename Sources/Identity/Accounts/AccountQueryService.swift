/// Lists and searches accounts for backends.
public struct AccountQueryService: Sendable {
    private let store: any AccountStore

    public init(store: any AccountStore) {
        self.store = store
    }

    public struct Page: Sendable {
        public let accounts: [Account]
        /// The ID of the last account of this page, if there may be another page.
        public let lastID: ID<Account>?
    }

    /// - Throws: ``QueryRefusal``.
    public func page(
        by order: AccountOrder, skipping count: Int, limit: Int, in realm: Realm
    ) async throws -> [Account] {
        try await store.page(by: order, skipping: count, limit: limit, in: realm.id)
    }

    /// Returns accounts whose IDs begin with `text`, at most `limit`. The first page begins with the accounts whose
    /// address or phone number is `text`, which do not count toward `limit`.
    public func search(
        _ text: String, after id: ID<Account>?, limit: Int, in realm: Realm
    ) async throws -> Page {
        let contact = ContactIdentifiers(text)
        let isFirstPage = id == nil
        let contactMatches =
            isFirstPage && !contact.references.isEmpty
            ? try await store.find(contact.references, in: realm.id) : []
        guard let prefix = IDPrefix(text) else { return Page(accounts: contactMatches, lastID: nil) }
        let idMatches = try await store.page(
            beginningWith: prefix, excludingAccountsWith: contact, after: id, limit: limit, in: realm.id)
        return Page(accounts: contactMatches + idMatches, lastID: idMatches.count == limit ? idMatches.last?.id : nil)
    }

    /// Returns accounts with an Apple identity whose `real_user_status` is `status`.
    public func search(
        realUserStatus status: Int, after id: ID<Account>?, limit: Int, in realm: Realm
    ) async throws -> Page {
        let accounts = try await store.page(realUserStatus: status, after: id, limit: limit, in: realm.id)
        return Page(accounts: accounts, lastID: accounts.count == limit ? accounts.last?.id : nil)
    }
}

/// Why accounts were not listed.
public enum QueryRefusal: Refusal, Hashable {
    /// The accounts could not be sorted within the time limit.
    case deadlineExceeded
}

extension QueryRefusal {
    public var code: ErrorCode {
        switch self {
        case .deadlineExceeded: .queryDeadlineExceeded
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
    /// The next code point that is not a surrogate; `nil` after the last one.
    fileprivate var successor: Unicode.Scalar? {
        value == 0xD7FF ? Unicode.Scalar(0xE000 as UInt32) : Unicode.Scalar(value + 1)
    }
}
