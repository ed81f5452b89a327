internal import Encoding

/// What an administrator searches for.
public enum AccountSearch: Hashable, Sendable {
    case listing(AccountListing)
    /// An email address, a phone number, `provider:subject`, or the beginning of an ID or of a name.
    case text(String)
}

extension AccountSearch {
    /// The lists that the pages contain, one after the other.
    var listings: [AccountListing] {
        switch self {
        case .listing(let listing): [listing]
        case .text(let text):
            [EmailAddress(text).map { .identityEmail($0) }, IDPrefix(text).map { .idPrefix($0) }, .namePrefix(text)]
                .compactMap(\.self)
        }
    }

    /// The identifiers that the text may be. Their accounts precede the first page.
    var references: [AccountReference] {
        switch self {
        case .listing: []
        case .text(let text):
            [EmailAddress(text).map { .email($0) }, PhoneNumber(text).map { .phoneNumber($0) }, Self.identity(text)]
                .compactMap(\.self)
        }
    }

    private static func identity(_ text: String) -> AccountReference? {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        return .identity(provider: ProviderID(String(parts[0])), subject: ByteText(String(parts[1])))
    }

    /// Whether the pages show an account of one of the lists. An account that is in several lists is shown once.
    ///
    /// - Parameter index: the index of the list.
    func shows(_ account: Account, of index: Int) -> Bool {
        if case .listing(.guestCandidates) = self { return account.isAnonymous }
        return !references.contains { $0.identifies(account) }
            && !listings[..<index].contains { $0.contains(account) }
    }
}

extension AccountListing {
    /// Whether a list that precedes another one in a search contains the account.
    fileprivate func contains(_ account: Account) -> Bool {
        switch self {
        case .identityEmail(let email): account.identities.contains { $0.email == email }
        case .idPrefix(let prefix): account.id.rawValue.beginsExactly(with: prefix.text)
        case .all, .disabled, .guestCandidates, .relayStopped, .realUserStatus, .namePrefix: false
        }
    }
}

/// How far a search has been read.
public struct AccountSearchPosition: Hashable, Sendable {
    /// The index of a list of the search.
    let listing: Int
    /// `nil` at the beginning of the list.
    let cursor: AccountCursor?

    init(listing: Int, cursor: AccountCursor?) {
        self.listing = listing
        self.cursor = cursor
    }
}

extension AccountSearchPosition {
    /// - Returns: `nil` unless `text` is the ``text`` of a position in this search.
    public init?(parsing text: String, in search: AccountSearch) {
        guard let bytes = Base64URL.decode(text), let decoded = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        let parts = decoded.unicodeScalars.split(separator: "\0", omittingEmptySubsequences: false).map { String($0) }
        let listings = search.listings
        guard (2...3).contains(parts.count), let index = Int(parts[0]), listings.indices.contains(index),
            ID<Account>.isValid(parts[1])
        else { return nil }
        let value = parts.count == 3 ? AccountCursor.SortValue(parsing: parts[2]) : nil
        let cursor = AccountCursor(value: value, id: ID(parts[1]))
        guard value != nil || parts.count == 2, listings[index].accepts(cursor) else { return nil }
        self.init(listing: index, cursor: cursor)
    }

    /// The position as a page token.
    public var text: String {
        let cursor = cursor.map { "\0\($0.id.rawValue)" + ($0.value.map { "\0\($0.text)" } ?? "") } ?? ""
        return Base64URL.encode(Array("\(listing)\(cursor)".utf8))
    }
}

extension AccountCursor.SortValue {
    fileprivate init?(parsing text: String) {
        let value = text.dropFirst()
        switch text.first {
        case "t":
            guard let time = Int64(value), (0...253_402_300_799_999_999).contains(time) else { return nil }
            self = .time(Instant(microseconds: time))
        case "s": self = .text(String(value))
        default: return nil
        }
    }

    fileprivate var text: String {
        switch self {
        case .time(let time): "t\(time.microseconds)"
        case .text(let text): "s\(text)"
        }
    }
}
