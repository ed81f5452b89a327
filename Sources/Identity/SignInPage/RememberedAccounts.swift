/// The accounts that a browser remembers in a project, because their users asked for it. The browser has the list in a
/// sealed cookie. It proves nothing: every sign-in needs all of its factors.
public struct RememberedAccounts: Hashable, SealedTokenContent {
    public static let purpose = "remembered accounts"
    public static let invalidRefusal: any Refusal = SignInPageRefusal.flowInvalid
    public static let limit = 5
    public static let lifetime: Duration = .seconds(180 * 86_400)

    public struct Entry: Hashable, Codable, Sendable {
        public let account: ID<Account>
        /// `nil` for an account of the project itself.
        public let tenant: ID<Tenant>?
        public let name: String
        /// `nil` if the account has no address.
        public let email: String?
        /// With which the user signed in last.
        public let method: ProviderID
        public let rememberedAt: Instant

        public init(
            account: ID<Account>, tenant: ID<Tenant>?, name: String, email: String?, method: ProviderID,
            rememberedAt: Instant
        ) {
            self.account = account
            self.tenant = tenant
            self.name = String(name.unicodeScalars.prefix(50))
            self.email = email.flatMap { $0.utf8.count <= 254 ? $0 : nil }
            self.method = method
            self.rememberedAt = rememberedAt
        }
    }

    /// The newest first.
    public private(set) var entries: [Entry] = []

    public init() {}

    /// Adds an account, or replaces what is known of it. The oldest account is forgotten if there are too many.
    public mutating func remember(_ entry: Entry) {
        forget(entry.account)
        entries = Array(([entry] + entries).prefix(Self.limit))
    }

    public mutating func forgetOldest() { _ = entries.popLast() }

    public mutating func forget(_ account: ID<Account>) { entries.removeAll { $0.account == account } }

    public mutating func removeExpired(at now: Instant) {
        entries.removeAll { now - $0.rememberedAt >= Self.lifetime }
    }
}
