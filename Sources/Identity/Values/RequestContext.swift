/// The client network, device and language of a request, and its trace.
public struct RequestContext: Sendable {
    public let network: ClientNetwork
    /// The user agent, for the list of sessions; at most ``deviceLengthLimit`` characters.
    public let device: String?
    /// The app whose API key the request has; `nil` for other requests.
    public internal(set) var app: ID<App>?
    /// The code of the sign-in page that the request exchanges for a link or a merge.
    var exchangedCode: ExchangedCode?
    /// The requested language; `nil` if the request names none that is supported. ``emailLanguage`` takes precedence
    /// over other statements of the request.
    public let language: Language?
    /// The language that the app has requested for emails, which takes precedence over the account's.
    public let emailLanguage: Language?
    /// For the audit trail.
    public let trace: RequestTrace
    /// Whether the client has disconnected. It does not return to this request.
    public let isClientGone: @Sendable () -> Bool

    /// The maximum length of ``device`` in characters (grapheme clusters).
    public static let deviceLengthLimit = 200

    public init(
        network: ClientNetwork, device: String?, language: Language?, emailLanguage: Language? = nil,
        trace: RequestTrace,
        isClientGone: @escaping @Sendable () -> Bool = { false }
    ) {
        self.network = network
        self.device = device.map { String($0.prefix(Self.deviceLengthLimit)) }
        self.language = language
        self.emailLanguage = emailLanguage
        self.trace = trace
        self.isClientGone = isClientGone
    }
}

extension RequestContext {
    /// The context of a request of `app`.
    public func of(_ app: App) -> RequestContext {
        var context = self
        context.app = app.id
        return context
    }

    /// The context of an exchange that links an identity or merges two accounts.
    func exchanging(_ code: ExchangedCode) -> RequestContext {
        var context = self
        context.exchangedCode = code
        return context
    }
}

/// The network and ID of a request, in a form that may be stored: it identifies neither an address nor a user.
public struct RequestTrace: Hashable, Sendable {
    /// A prefix too wide to identify a user, as in log lines.
    public let network: String?
    /// The request's ID in the log.
    public let requestID: String?

    public init(network: String? = nil, requestID: String? = nil) {
        self.network = network
        self.requestID = requestID
    }

    /// For changes that no request caused.
    public static let none = RequestTrace()
}

/// The IP networks that contain a client's address. Rate limits count requests by network. An account also has known
/// networks: those from which, recently, one of its sessions was opened or its password was reset.
///
/// One subscriber may have a whole /48 of IPv6, or may share one IPv4 address with thousands of others. Therefore most
/// limits of a network apply at several prefix lengths at once: IPv4 address and /24; IPv6 /64, /56 and /48.
public struct ClientNetwork: Hashable, Sendable {
    public struct Level: Hashable, Sendable {
        /// The prefix as text, e.g. `2001:db8:0:0:0:0:0:0/56`, without NUL.
        public let prefix: String
        /// At this level, a limit is multiplied by this factor.
        public let factor: Int
    }

    /// The client's own address.
    public struct Address: Hashable, Sendable {
        /// The first eight bytes; IPv4 addresses are mapped to IPv6.
        public let high: UInt64
        public let low: UInt64

        public init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }
    }

    /// `nil` if it is unknown. Only for blocking functions; it is neither logged nor stored.
    public let address: Address?
    /// From the narrowest to the widest; never empty.
    public let levels: [Level]
    /// The prefix by which known networks are recognised: that of one household or company. `nil` if the client's
    /// address is unknown.
    public let knownNetworkPrefix: String?

    /// - Parameters:
    ///   - prefixes: from the narrowest to the widest: one to three.
    ///   - knownNetworkPrefix: one of `prefixes`.
    public init(prefixes: [String], knownNetworkPrefix: String?, address: Address? = nil) {
        precondition((1...Self.factors.count).contains(prefixes.count), "a network has one to three levels")
        levels = zip(prefixes, Self.factors).map { Level(prefix: $0, factor: $1) }
        self.knownNetworkPrefix = knownNetworkPrefix
        self.address = address
    }

    private static let factors = [1, 4, 16]

    public var widest: Level { levels[levels.count - 1] }
}

/// Computes keyed hashes of client networks, which are stored with sessions in place of the networks. The networks
/// cannot be read or guessed from their hashes.
public struct NetworkHashing: Sendable {
    /// Returns one hash of 16 bytes for each active master key, that of the current key first. Empty if the client's
    /// address is unknown.
    public var hashes: @Sendable (_ network: ClientNetwork, _ realm: ID<Realm>) -> [[UInt8]]

    public init(hashes: @escaping @Sendable (ClientNetwork, ID<Realm>) -> [[UInt8]]) {
        self.hashes = hashes
    }
}

extension NetworkHashing {
    /// The network hash of a session that is opened now; `nil` if the client's address is unknown.
    func hash(of context: RequestContext, in realm: Realm) -> [UInt8]? {
        hashes(context.network, realm.id).first
    }
}
