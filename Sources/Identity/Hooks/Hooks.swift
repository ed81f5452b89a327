/// A call to a blocking function.
public struct HookRequest: Sendable {
    /// What is about to happen.
    public enum Subject: Sendable {
        /// - Parameters:
        ///   - account: as it will be; the functions see what an earlier function has changed.
        case account(Account, HookSignIn, secondFactor: SessionFactor.Method?)
        case email(EmailAddress, OOBCode.Purpose)
    }

    public let event: BlockingFunctions.Event
    public let url: CallbackURL
    public let subject: Subject
    public let realm: Realm
    public let context: RequestContext

    public init(
        _ event: BlockingFunctions.Event, at url: CallbackURL, _ subject: Subject, in realm: Realm,
        from context: RequestContext
    ) {
        self.event = event
        self.url = url
        self.subject = subject
        self.realm = realm
        self.context = context
    }
}

/// What a blocking function learns about a sign-in, besides the account.
public struct HookSignIn: Sendable {
    /// `password`, `emailLink`, `phone`, `passkey`, or the ID of a provider.
    public let method: String
    /// The provider's claims as a JSON object.
    public var rawUserInfo: String?
    /// The tokens that the request has or obtained.
    public var tokens: HookTokens?

    public init(method: String, rawUserInfo: String? = nil, tokens: HookTokens? = nil) {
        self.method = method
        self.rawUserInfo = rawUserInfo
        self.tokens = tokens
    }
}

/// Tokens of a provider, which functions get only if the project forwards them.
public struct HookTokens: Sendable {
    public let idToken: Secret?
    public let accessToken: Secret?
    public let refreshToken: Secret?
    /// The lifetime of the access token in seconds.
    public let expiresIn: Int64?

    init(_ tokens: ProviderTokens) {
        idToken = tokens.idToken.isEmpty ? nil : Secret(tokens.idToken)
        accessToken = tokens.accessToken.map { Secret($0) }
        refreshToken = tokens.refreshToken.map { Secret($0) }
        expiresIn = tokens.expiresIn
    }
}

/// What a blocking function answered: changes of the account, and claims of the session.
public struct HookReply: Hashable, Sendable {
    public var displayName: AccountUpdate.Value<String>?
    public var photoURL: AccountUpdate.Value<PhotoURL>?
    public var isDisabled: Bool?
    public var emailIsVerified: Bool?
    public var customClaims: Claims?
    /// Only `beforeSignIn` can set them.
    public var sessionClaims: Claims?

    public init() {}
}

extension HookReply {
    var nonEmptySessionClaims: Claims? { sessionClaims.flatMap { $0.json == "{}" ? nil : $0 } }

    /// This reply, with what a later function has set instead.
    func overridden(by later: HookReply) -> HookReply {
        var reply = self
        reply.displayName = later.displayName ?? displayName
        reply.photoURL = later.photoURL ?? photoURL
        reply.isDisabled = later.isDisabled ?? isDisabled
        reply.emailIsVerified = later.emailIsVerified ?? emailIsVerified
        reply.customClaims = later.customClaims ?? customClaims
        reply.sessionClaims = later.sessionClaims ?? sessionClaims
        return reply
    }

    /// The change of the account; `nil` if nothing changes.
    func update(of account: Account) -> AccountUpdate? {
        var update = AccountUpdate()
        if let displayName, displayName.content != account.displayName { update.profile.displayName = displayName }
        if let photoURL, photoURL.content != account.photoURL { update.profile.photoURL = photoURL }
        if let isDisabled, isDisabled != account.isDisabled { update.isDisabled = isDisabled }
        if let emailIsVerified, account.email != nil, emailIsVerified != account.emailIsVerified {
            update.emailIsVerified = emailIsVerified
        }
        if let customClaims, customClaims != account.customClaims { update.customClaims = customClaims }
        return update == AccountUpdate() ? nil : update
    }
}

extension Account {
    /// Applies what a blocking function has set.
    mutating func apply(_ reply: HookReply) {
        if let displayName = reply.displayName { self.displayName = displayName.content }
        if let photoURL = reply.photoURL { self.photoURL = photoURL.content }
        if let isDisabled = reply.isDisabled { self.isDisabled = isDisabled }
        if let verified = reply.emailIsVerified, email != nil { emailIsVerified = verified }
        if let customClaims = reply.customClaims { self.customClaims = customClaims }
    }
}

/// Calls the blocking functions of projects.
public struct Hooks: Sendable {
    /// - Throws: ``HookRefusal`` if the function refuses or its answer is not valid; ``HookUnavailable``.
    public var call: @Sendable (HookRequest) async throws -> HookReply

    public init(call: @escaping @Sendable (HookRequest) async throws -> HookReply) {
        self.call = call
    }

    /// For projects without blocking functions.
    public static let none = Hooks { _ in HookReply() }
}

extension Hooks {
    /// Asks the functions that concern a sign-in, in their order.
    ///
    /// - Parameters:
    ///   - account: as it will be.
    ///   - isNew: whether the sign-in creates the account.
    /// - Returns: `nil` if the project has no such function.
    func reply(
        to signIn: HookSignIn, of account: Account, isNew: Bool, secondFactor: SessionFactor.Method?, in realm: Realm,
        from context: RequestContext
    ) async throws -> HookReply? {
        let triggers = realm.project.blockingFunctions.triggers
        var (account, result) = (account, HookReply?.none)
        if isNew, let url = triggers[.beforeCreate] {
            var reply = try await call(
                HookRequest(
                    .beforeCreate, at: url, .account(account, signIn, secondFactor: secondFactor), in: realm,
                    from: context))
            reply.sessionClaims = nil
            account.apply(reply)
            result = reply
        }
        if !account.isDisabled, let url = triggers[.beforeSignIn] {
            let reply = try await call(
                HookRequest(
                    .beforeSignIn, at: url, .account(account, signIn, secondFactor: secondFactor), in: realm,
                    from: context))
            result = result?.overridden(by: reply) ?? reply
        }
        if let claims = result?.customClaims, let session = result?.sessionClaims,
            claims.json.unicodeScalars.count + session.json.unicodeScalars.count > Claims.lengthLimit
        {
            throw HookRefusal.invalidReply("customClaims and sessionClaims are too large together.")
        }
        return result
    }

    /// Asks the function that may refuse an email.
    func requireEmailAllowed(
        to email: EmailAddress, _ purpose: OOBCode.Purpose, in realm: Realm, from context: RequestContext
    ) async throws {
        guard let url = realm.project.blockingFunctions.triggers[.beforeSendEmail] else { return }
        _ = try await call(HookRequest(.beforeSendEmail, at: url, .email(email, purpose), in: realm, from: context))
    }
}

/// A blocking function has refused, or its answer cannot be used.
public enum HookRefusal: Refusal, Hashable {
    /// - Parameter detail: what the client gets to see: the function's own error.
    case refused(detail: String)
    case invalidReply(String)
    case failed(detail: String)

    /// Whether the function itself has refused.
    public var isOfFunction: Bool { if case .refused = self { true } else { false } }

    public var code: ErrorCode { .blockingFunctionErrorResponse }

    public var detail: String? {
        switch self {
        case .refused(let detail), .failed(let detail): detail
        case .invalidReply(let problem): "((\(problem)))"
        }
    }

    public var loggedCode: String {
        switch self {
        case .refused: code.rawValue
        case .invalidReply: "\(code.rawValue)_INVALID_REPLY"
        case .failed: "\(code.rawValue)_STATUS"
        }
    }
}

/// A blocking function cannot be reached, or does not answer in time. A retry may succeed.
public struct HookUnavailable: Error, CustomStringConvertible {
    public let reason: String

    public init(reason: String) {
        self.reason = reason
    }

    public var description: String { "a blocking function is unavailable: \(reason)" }
}
