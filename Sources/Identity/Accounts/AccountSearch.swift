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
struct AccountSearchPosition: Hashable, Sendable {
    /// The index of a list of the search.
    let listing: Int
    let cursor: AccountCursor

    init(listing: Int, cursor: AccountCursor) {
        self.listing = listing
        self.cursor = cursor
    }
}

/// The content of a page token. It is encrypted, because the URLs of pages contain the token, and the sort value can be
/// an address or a name.
struct AccountPageToken: SealedTokenContent {
    static let purpose = "page of accounts"
    static let invalidRefusal: any Refusal = QueryRefusal.invalidPage
    /// How long a client can ask for the next page.
    static let lifetime: Duration = .seconds(24 * 3600)

    let listing: Int
    /// ``AccountListing/code`` of the list.
    let code: String
    let id: ID<Account>
    /// In microseconds since 1970, if the list is sorted by a time.
    let time: Int64?
    /// If the list is sorted by a text.
    let text: String?

    enum CodingKeys: String, CodingKey {
        case listing = "l"
        case code = "k"
        case id = "i"
        case time = "t"
        case text = "s"
    }

    init(_ position: AccountSearchPosition, in search: AccountSearch) {
        listing = position.listing
        code = search.listings[position.listing].code
        id = position.cursor.id
        switch position.cursor.value {
        case .time(let time): (self.time, text) = (time.microseconds, nil)
        case .text(let text): (time, self.text) = (nil, text)
        case nil: (time, text) = (nil, nil)
        }
    }

    /// - Returns: `nil` if the token belongs to another search.
    func position(in search: AccountSearch) -> AccountSearchPosition? {
        let listings = search.listings
        let value: AccountCursor.SortValue? =
            if let time { .time(Instant(microseconds: time)) } else if let text { .text(text) } else { nil }
        let cursor = AccountCursor(value: value, id: id)
        guard listings.indices.contains(listing), listings[listing].code.isExactly(code),
            listings[listing].accepts(cursor)
        else { return nil }
        return AccountSearchPosition(listing: listing, cursor: cursor)
    }
}
