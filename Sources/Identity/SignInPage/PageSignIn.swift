/// A sign-in on the page, for which a code is issued.
public struct PageSignIn: Sendable {
    public let session: Session
    public let isNewAccount: Bool
    /// `nil` if the browser gets no session: for guests, and on an origin that is not the gateway's own.
    public let browser: BrowserWish?
    /// Whether the session on the page existed before, and goes on ("Continue as").
    public var keepsSession = false
    /// See ``NewSignInCode/link``.
    public var link: String?

    public struct BrowserWish: Sendable {
        public let lifetime: BrowserSessionLifetime
        /// The cookie that the browser has; its session ends.
        public let replaced: BrowserSessionValue?

        public init(lifetime: BrowserSessionLifetime, replaced: BrowserSessionValue?) {
            self.lifetime = lifetime
            self.replaced = replaced
        }
    }

    public init(session: Session, isNewAccount: Bool, browser: BrowserWish?) {
        self.session = session
        self.isNewAccount = isNewAccount
        self.browser = browser
    }

    /// Continues with a session that the browser has.
    public init(continuing session: BrowserSession) {
        self.init(session: session.caller.session, isNewAccount: false, browser: nil)
        keepsSession = true
    }

    /// Completes a link: the user keeps the session of the app.
    public init(linking link: String, to caller: Caller) {
        self.init(session: caller.session, isNewAccount: false, browser: nil)
        (keepsSession, self.link) = (true, link)
    }

    /// Completes a merge: the session on the page ends with the exchange.
    public init(merging link: String, into target: Caller) {
        self.init(session: target.session, isNewAccount: false, browser: nil)
        self.link = link
    }
}

/// A code, and the new cookie of the browser.
public struct IssuedSignInCode: Sendable {
    public let code: String
    /// `nil` if the browser gets no session, or keeps the one that it has.
    public let browser: BrowserSessionValue?
}

/// What the exchange of a code does besides the sign-in.
public enum PageLink: SealedTokenContent {
    public static let purpose = "sign-in page link"
    public static let invalidRefusal: any Refusal = SignInCodeRefusal.invalid

    /// Links an identity that the user has proven at a provider.
    case pendingToken(String)
    /// Adds the address of an email to a guest account, with a password if the guest has chosen one.
    case email(EmailAddress, code: String, passwordHash: String?)
    /// Merges the guest account of a session into the account of the code.
    case merge(mergeToken: String, guest: ID<Account>, session: ID<Session>)
}

extension PageLink {
    public init(_ email: SignInPageEmail) {
        self = .email(email.recipient, code: email.actionCode, passwordHash: email.passwordHash)
    }
}
