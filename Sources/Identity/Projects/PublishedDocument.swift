/// What a provider publishes for everybody (its keys, its configuration), as it was last fetched.
public struct ProviderDocument: Hashable, Sendable {
    /// JSON.
    public let body: String
    public let fetchedAt: Instant
    /// When it was last asked for out of turn, whatever came of it.
    public let forcedAt: Instant?

    public init(body: String, fetchedAt: Instant, forcedAt: Instant? = nil) {
        self.body = body
        self.fetchedAt = fetchedAt
        self.forcedAt = forcedAt
    }
}

/// Where the gateway's processes keep such documents together, by their URLs: for restarts while a provider cannot be
/// reached, and so that all of them take one turn at asking it.
public struct ProviderDocumentStore: Sendable {
    /// How long after one request out of turn no other is made.
    public static let turn: Duration = .seconds(60)

    public var load: @Sendable (_ url: String) async throws -> ProviderDocument?
    /// Leaves what was fetched later.
    public var store: @Sendable (_ url: String, _ body: String, _ fetchedAt: Instant) async throws -> Void
    /// - Returns: `true` to one caller per ``turn``.
    public var claimForcedFetch: @Sendable (_ url: String, _ now: Instant) async throws -> Bool

    public init(
        load: @escaping @Sendable (String) async throws -> ProviderDocument?,
        store: @escaping @Sendable (String, String, Instant) async throws -> Void,
        claimForcedFetch: @escaping @Sendable (String, Instant) async throws -> Bool
    ) {
        self.load = load
        self.store = store
        self.claimForcedFetch = claimForcedFetch
    }

    /// Keeps nothing, for a process that is alone and soon gone.
    public static let none = ProviderDocumentStore(
        load: { _ in nil }, store: { _, _, _ in }, claimForcedFetch: { _, _ in true })
}
