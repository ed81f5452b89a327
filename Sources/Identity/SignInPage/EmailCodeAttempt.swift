/// Applies the rate limits to one attempt to enter the code of an email of the sign-in page.
///
/// Strangers in other networks cannot keep the owner of a mailbox out: what counts for all networks together does not
/// apply in known networks of the account. An address without an account is treated the same.
struct EmailCodeAttempt {
    static let window: Duration = .seconds(86_400)
    /// Wrong codes for one address from one network.
    static let limit = 20
    /// Wrong codes for all addresses from one network.
    static let networkLimit = 100
    /// Wrong codes for one address from all networks together. After that, only known networks go on.
    static let addressLimit = 100

    private let email: EmailAddress
    private let network: ClientNetwork
    private let project: ID<Realm>
    private let limiter: RateLimiter
    private var counted: [LimitKey] = []

    init(on email: EmailAddress, from network: ClientNetwork, in realm: Realm, limiter: RateLimiter) {
        self.email = email
        self.network = network
        self.limiter = limiter
        project = ID(realm.project.id)
    }

    /// Counts the attempt as a wrong one. Called before the comparison, so that parallel attempts do not exceed a
    /// limit.
    ///
    /// - Throws: ``TooManyAttempts`` if the limit of the network is reached; ``SignInPageRefusal/onlyLink`` if one of
    ///   the address is. The attempt is then not counted.
    mutating func count(isFromKnownNetwork: () async throws -> Bool) async throws {
        try add(.wrongEmailCodesFromNetwork(network), Self.networkLimit)
        do {
            try add(.wrongEmailCodes(email, from: network), Self.limit)
        } catch {
            subtract()
            throw SignInPageRefusal.onlyLink
        }
        do {
            try add(.addressWrongEmailCodes(email), Self.addressLimit)
        } catch {
            guard try await !isFromKnownNetwork() else { return }
            subtract()
            throw SignInPageRefusal.onlyLink
        }
    }

    /// Counts the attempt no more: the code was right.
    mutating func subtract() {
        for key in counted { limiter.subtract(key, Self.window, project) }
        counted = []
    }

    private mutating func add(_ key: LimitKey, _ limit: Int) throws(TooManyAttempts) {
        try limiter.count(key, limit, Self.window, project)
        counted.append(key)
    }
}
