/// A call to a blocking function.
public struct HookRequest: Sendable {
    /// What is about to happen.
    public enum Subject: Sendable {
        /// - Parameter account: the account as the sign-in will leave it, with the changes of earlier functions of the
        ///   same sign-in.
        case account(Account, HookSignIn, secondFactor: SessionFactor.Method?)
        case email(EmailAddress, OOBCode.Purpose)
        case sms(PhoneNumber, PhoneCode.Purpose)
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

/// What a blocking function gets about a sign-in, besides the account.
public struct HookSignIn: Sendable {
    /// `password`, `emailLink`, `phone`, `passkey`, or the ID of a provider.
    public let method: String
    /// The provider's claims as a JSON object; `nil` for other methods.
    public let rawUserInfo: String?
    /// The provider's tokens that the request has or obtained.
    public let tokens: ProviderTokens?

    public init(method: String, rawUserInfo: String? = nil, tokens: ProviderTokens? = nil) {
        self.method = method
        self.rawUserInfo = rawUserInfo
        self.tokens = tokens
    }
}
