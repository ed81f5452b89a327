/// Lists and searches accounts for backends.
public struct AccountQueryService: Sendable {
    private let store: any AccountStore
    private let limiter: RateLimiter
    private let sealedTokens: any SealedTokens
    private let clock: WallClock

    public init(
        store: any AccountStore, limiter: RateLimiter, sealedTokens: any SealedTokens, clock: WallClock
    ) {
        self.store = store
        self.limiter = limiter
        self.sealedTokens = sealedTokens
        self.clock = clock
    }

    public struct Page: Sendable {
        public let accounts: [Account]
        /// The token of the next page, if there may be another page.
        public let nextToken: String?
    }

    /// - Throws: ``QueryRefusal``.
    public func page(
        by order: AccountOrder, skipping count: Int, limit: Int, in realm: Realm
    ) async throws -> [Account] {
        try await store.page(by: order, skipping: count, limit: limit, in: realm.id)
    }

    /// Returns a page of a search. The store reads at most `limit` accounts, of which the page may show fewer. The
    /// first page begins with the accounts that the search text identifies, which do not count toward `limit`.
    ///
    /// - Parameter token: of the page; `nil` for the first page.
    /// - Throws: ``QueryRefusal``.
    public func search(
        _ search: AccountSearch, at token: String?, limit: Int, in realm: Realm
    ) async throws -> Page {
        let position = try token.map { try decodedPosition(of: $0, in: search, of: realm) }
        var accounts =
            position == nil && !search.references.isEmpty
            ? try await store.find(search.references, in: realm.id) : []
        var remaining = limit
        var cursor = position?.cursor
        for (index, listing) in search.listings.enumerated().dropFirst(position?.listing ?? 0) {
            let candidates = try await store.page(of: listing, after: cursor, limit: remaining, in: realm.id)
            accounts += candidates.filter { search.shows($0, of: index) }
            if candidates.count == remaining, let last = candidates.last {
                let next = AccountSearchPosition(listing: index, cursor: listing.cursor(after: last))
                return Page(accounts: accounts, nextToken: try pageToken(of: next, in: search, of: realm))
            }
            remaining -= candidates.count
            cursor = nil
        }
        return Page(accounts: accounts, nextToken: nil)
    }

    private func pageToken(
        of position: AccountSearchPosition, in search: AccountSearch, of realm: Realm
    ) throws -> String {
        try sealedTokens.encode(
            AccountPageToken(position, in: search), until: clock.now() + AccountPageToken.lifetime, in: realm.id)
    }

    private func decodedPosition(
        of token: String, in search: AccountSearch, of realm: Realm
    ) throws -> AccountSearchPosition {
        let (content, _) = try sealedTokens.decode(AccountPageToken.self, from: token, at: clock.now(), in: realm.id)
        guard let position = content.position(in: search) else { throw QueryRefusal.invalidPage }
        return position
    }
}

extension AccountQueryService {
    /// Returns why sign-ins to an account fail now. A rate limit is known a few seconds after another gateway has
    /// counted.
    public func signInObstacles(of id: ID<Account>, in realm: Realm) async throws -> [SignInObstacle] {
        guard let account = try await store.find([.id(id)], in: realm.id).first else {
            throw AdministrationRefusal.accountUnknown
        }
        return SignInObstacle.all(of: account, in: realm) { key, limit, window in
            limiter.isReached(key, limit, window, realm.id)
        }
    }
}

/// Why accounts were not listed.
public enum QueryRefusal: Refusal, Hashable {
    /// The accounts could not be sorted within the time limit.
    case deadlineExceeded
    /// The page token is unknown, older than a day, or of another list.
    case invalidPage
}

extension QueryRefusal {
    public var code: ErrorCode {
        switch self {
        case .deadlineExceeded: .queryDeadlineExceeded
        case .invalidPage: .invalidPageSelection
        }
    }

    public var detail: String? {
        switch self {
        case .deadlineExceeded:
            "There are too many accounts to sort by this field. Sort by USER_ID, CREATED_AT or USER_EMAIL."
        case .invalidPage: nil
        }
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
