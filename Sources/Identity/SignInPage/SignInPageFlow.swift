internal import Encoding

/// What an app asks of the sign-in page, after all checks.
public struct SignInPageRequest: Hashable, SealedTokenContent {
    public static let purpose = "sign-in page request"
    public static let invalidRefusal: any Refusal = SignInPageRefusal.flowInvalid
    /// How long the URL of `createSignInUri` is valid.
    public static let urlLifetime: Duration = .seconds(600)

    public let app: ID<App>
    public let target: AuthorizationTarget
    /// The app's value, which the result repeats.
    public internal(set) var state: String
    /// SHA-256 of the code verifier.
    public var challenge: [UInt8] { Base64URL.decode(challengeText) ?? [] }
    /// In base64url, which is shorter in JSON than a list of numbers.
    private let challengeText: String
    /// `nil` for accounts of the project itself.
    public var tenant: ID<Tenant>?
    /// `nil` if the app asked for none.
    public var language: Language?
    public var operation: AuthorizationFlow.Operation {
        get { otherOperation ?? .signIn }
        set { otherOperation = newValue == .signIn ? nil : newValue }
    }
    /// `nil` for a sign-in. The sealed request has no member for a default.
    private var otherOperation: AuthorizationFlow.Operation?
    /// Whether a guest signs in, and then keeps the guest account or merges it into another one.
    public var isForGuest: Bool { operation == .link && subject?.isGuest == true }
    /// The account and session that a link or re-authentication is about; `nil` for a sign-in.
    public var subject: Subject?
    /// The provider to link; `nil` if the user chooses one.
    public var provider: ProviderID?
    public var screen: Screen {
        get { otherScreen ?? .signIn }
        set { otherScreen = newValue == .signIn ? nil : newValue }
    }
    private var otherScreen: Screen?
    /// Whether the account page has rejected a form because the login was too old.
    public var hasLostForm: Bool {
        get { lostForm ?? false }
        set { lostForm = newValue ? true : nil }
    }
    private var lostForm: Bool?
    /// The address that the page shows first.
    public var loginHint: String?
    public var prompt: Prompt?
    /// The maximum age of the login.
    public var maxAge: Duration?

    /// The names are short, because a page contains the sealed flow in each of its forms and links.
    private enum CodingKeys: String, CodingKey {
        case app = "a"
        case target = "t"
        case state = "s"
        case challengeText = "c"
        case tenant = "n"
        case language = "l"
        case otherOperation = "o"
        case subject = "u"
        case provider = "v"
        case otherScreen = "w"
        case lostForm = "f"
        case loginHint = "h"
        case prompt = "p"
        case maxAge = "m"
    }

    public struct Subject: Hashable, Codable, Sendable {
        public let account: ID<Account>
        public let session: ID<Session>
        /// With which the account can sign in.
        public let methods: [ProviderID]
        /// The name or address of the user; `nil` if the account has neither.
        public let name: String?
        /// Whether the account has no credential.
        public let isGuest: Bool

        public init(_ caller: Caller) {
            account = caller.account.id
            session = caller.session.id
            methods = caller.account.signInMethodsOnPage
            name = caller.account.displayName ?? caller.account.email?.rawValue
            isGuest = caller.account.isAnonymous
        }
    }

    /// The raw values are the wire's.
    public enum Screen: String, CaseIterable, Codable, Sendable {
        case signIn, signUp, reset, emailCode
        /// The accounts that the browser remembers. Only the page itself leads there.
        case accounts
    }

    /// The raw values are the wire's (OpenID Connect Core §3.1.2.1).
    public enum Prompt: String, CaseIterable, Codable, Sendable {
        /// Without any page: `login_required` if that is not possible.
        case none
        /// Without "Continue as".
        case login
    }

    public init(app: ID<App>, target: AuthorizationTarget, state: String, challenge: [UInt8]) {
        self.app = app
        self.target = target
        self.state = state
        challengeText = Base64URL.encode(challenge)
    }
}

/// One visit of the sign-in page, from the request of the app to its result. Forms carry it sealed. It is bound to a
/// cookie of the browser, so that no other browser can continue it.
public struct SignInPageFlow: Hashable, SealedTokenContent {
    public static let purpose = "sign-in page flow"
    public static let invalidRefusal: any Refusal = SignInPageRefusal.flowInvalid
    public static let lifetime: Duration = .seconds(3600)

    /// Unguessable.
    public let id: String
    public internal(set) var request: SignInPageRequest
    /// Whether the app's `state` and the subject are stored, and the pages do not have them; see
    /// ``SignInPageSteps/storingState(of:until:in:from:)``.
    public internal(set) var hasStoredState: Bool {
        get { storesState ?? false }
        set { storesState = newValue ? true : nil }
    }
    private var storesState: Bool?
    /// The first 16 bytes of the SHA-256 of the flow cookie's value.
    public var cookieHash: [UInt8] { Base64URL.decode(cookieHashText) ?? [] }
    private let cookieHashText: String
    private static let cookieHashLength = 16
    /// Whether the user wants the browser to remember the account.
    public var remembersAccount: Bool {
        get { remembers ?? false }
        set { remembers = newValue ? true : nil }
    }
    private var remembers: Bool?
    /// The ID of the conflict that the pages of this flow show. Only they link its identity, because another tab of
    /// the same visit has not shown it.
    public var conflict: String?
    /// The address that the user has entered last, with which the other screens begin.
    public var email: String?

    private enum CodingKeys: String, CodingKey {
        case id = "i"
        case request = "r"
        case storesState = "s"
        case cookieHashText = "c"
        case remembers = "m"
        case conflict = "f"
        case email = "e"
    }

    /// - Parameter cookieHash: SHA-256 of the flow cookie's value.
    public init(id: String, request: SignInPageRequest, cookieHash: [UInt8]) {
        self.id = id
        self.request = request
        cookieHashText = Base64URL.encode(Array(cookieHash.prefix(Self.cookieHashLength)))
    }

    /// Whether a browser with this cookie started the flow.
    ///
    /// - Parameter hash: SHA-256 of the cookie's value, of which the first 16 bytes are compared.
    public func isBound(toCookieWith hash: [UInt8], by secrets: FlowSecrets) -> Bool {
        secrets.areEqual(Array(hash.prefix(Self.cookieHashLength)), cookieHash)
    }

    /// The flow as its pages carry it.
    public var onPages: SignInPageFlow {
        guard hasStoredState else { return self }
        var flow = self
        (flow.request.state, flow.request.subject) = ("", nil)
        return flow
    }

    /// Leads from outside the page back to a flow, as one tab shows it: the flow that is stored may be that of another
    /// tab.
    public struct Reference: Hashable, Codable, Sendable {
        let id: String
        private let remembers: Bool?
        private let conflict: String?
        private let email: String?

        private enum CodingKeys: String, CodingKey {
            case id = "i"
            case remembers = "m"
            case conflict = "f"
            case email = "e"
        }

        public init(_ flow: SignInPageFlow) {
            (id, remembers) = (flow.id, flow.remembers)
            (conflict, email) = (flow.conflict, flow.email)
        }

        /// - Parameter stored: the flow with the ID of the reference.
        func flow(from stored: SignInPageFlow) -> SignInPageFlow {
            var flow = stored
            (flow.remembers, flow.conflict, flow.email) = (remembers, conflict, email)
            return flow
        }
    }
}

extension Account {
    /// The methods with which the account can sign in on the sign-in page.
    public var signInMethodsOnPage: [ProviderID] {
        identities.map(\.provider) + (passwordUpdatedAt == nil ? [] : [.password])
            + (passkeys.isEmpty ? [] : [.passkey]) + (canUseEmailOnPage ? [.emailLink] : [])
    }

    /// Whether the user can sign in with a link or a code that the page sends to the account's address. If the address
    /// is unverified, such an email would reclaim the account instead.
    public var canUseEmailOnPage: Bool { usesEmailLinks && emailIsVerified && email != nil }
}
