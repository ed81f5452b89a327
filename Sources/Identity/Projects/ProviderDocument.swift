/// A public document of a provider (its keys or its configuration) as it was last fetched.
public struct ProviderDocument: Hashable, Sendable {
    /// The document as JSON.
    public let body: String
    public let fetchedAt: Instant
    /// When a process last claimed a forced fetch (one before the document expires), whether or not the fetch
    /// succeeded.
    public let forcedFetchClaimedAt: Instant?

    public init(body: String, fetchedAt: Instant, forcedFetchClaimedAt: Instant? = nil) {
        self.body = body
        self.fetchedAt = fetchedAt
        self.forcedFetchClaimedAt = forcedFetchClaimedAt
    }
}

/// Provider documents by URL, shared by all processes of the gateway. A restarted process can use them while a provider
/// is unreachable. All processes together force at most one fetch of a URL per ``forcedFetchInterval``.
public struct ProviderDocumentStore: Sendable {
    /// The minimum time between two forced fetches of one URL.
    public static let forcedFetchInterval: Duration = .seconds(60)

    public var load: @Sendable (_ url: String) async throws -> ProviderDocument?
    /// Stores a document, unless the stored one was fetched later.
    public var store: @Sendable (_ url: String, _ body: String, _ fetchedAt: Instant) async throws -> Void
    /// Claims a forced fetch of a URL. Returns `true` for only one caller per ``forcedFetchInterval``.
    public var claimForcedFetch: @Sendable (_ url: String, _ now: Instant) async throws -> Bool

    /// Withdraws a claim whose fetch has failed, so that another fetch may be claimed before the interval has passed.
    public var withdrawForcedFetch: @Sendable (_ url: String, _ claimedAt: Instant) async throws -> Void

    public init(
        load: @escaping @Sendable (String) async throws -> ProviderDocument?,
        store: @escaping @Sendable (String, String, Instant) async throws -> Void,
        claimForcedFetch: @escaping @Sendable (String, Instant) async throws -> Bool,
        withdrawForcedFetch: @escaping @Sendable (String, Instant) async throws -> Void
    ) {
        self.load = load
        self.store = store
        self.claimForcedFetch = claimForcedFetch
        self.withdrawForcedFetch = withdrawForcedFetch
    }

    /// Stores nothing; for a short-lived process that runs alone.
    public static let none = ProviderDocumentStore(
        load: { _ in nil }, store: { _, _, _ in }, claimForcedFetch: { _, _ in true },
        withdrawForcedFetch: { _, _ in })
}
