/// A code that an app exchanges for its session, after a user has signed in on the sign-in page (RFC 6749 §4.1). It is
/// bound to a code challenge of the app (RFC 7636).
public struct NewSignInCode: Sendable {
    /// SHA-256 of the code.
    public let hash: [UInt8]
    /// SHA-256 of the flow's ID. A flow has at most one code.
    public let flowHash: [UInt8]
    public let app: ID<App>
    public let target: AuthorizationTarget
    /// SHA-256 of the code verifier.
    public let challenge: [UInt8]
    /// The session that the user opened on the page. The app's session gets its method, authentication and factors.
    public let session: Session
    /// Whether the session on the page ends with the exchange, because no browser keeps it.
    public let endsSession: Bool
    public let isNewAccount: Bool
    /// Whether the session on the page existed before ("Continue as"), so that the exchange is the sign-in.
    public let isContinued: Bool
    /// The sealed ``PageLink``; `nil` for a sign-in.
    public let link: String?
    public let expiresAt: Instant
    /// Until then, a second use of the code, or of the flow, is recognised.
    public let keptUntil: Instant

    /// Whether the session on the page existed before the flow: of the browser ("Continue as"), or of an app that
    /// links.
    public var continuesSession: Bool { isContinued || link != nil && !endsSession }
}

/// A stored code, with the account and session on the page as they are now.
public struct StoredSignInCode: Sendable {
    public let app: ID<App>
    public let target: String
    public let challenge: [UInt8]
    /// `nil` if the account was deleted or disabled, or the session on the page has ended.
    public let source: (account: Account, session: Session)?
    public let endsSession: Bool
    public let isNewAccount: Bool
    public let isContinued: Bool
    public let link: String?
    public let expiresAt: Instant
    public let isUsed: Bool

    public init(
        app: ID<App>, target: String, challenge: [UInt8], source: (account: Account, session: Session)?,
        endsSession: Bool, isNewAccount: Bool, isContinued: Bool, link: String?, expiresAt: Instant, isUsed: Bool
    ) {
        self.app = app
        self.target = target
        self.challenge = challenge
        self.source = source
        self.endsSession = endsSession
        self.isNewAccount = isNewAccount
        self.isContinued = isContinued
        self.link = link
        self.expiresAt = expiresAt
        self.isUsed = isUsed
    }
}

/// A sign-in on the sign-in page, whose session is still active.
struct ProvenSignIn: Sendable {
    let account: Account
    /// The session on the page.
    let session: Session
    let isNewAccount: Bool
    /// Whether the session on the page ends now.
    let endsSession: Bool
    /// Whether the user signs in only now; see ``NewSignInCode/isContinued``.
    let isContinued: Bool
    /// See ``NewSignInCode/link``.
    let link: String?

    init(account: Account, session: Session, of code: StoredSignInCode) {
        self.account = account
        self.session = session
        isNewAccount = code.isNewAccount
        endsSession = code.endsSession
        isContinued = code.isContinued
        link = code.link
    }
}

/// A code whose exchange links an identity or merges two accounts. The transaction that does so, and opens the session,
/// also marks the code as used.
public struct ExchangedCode: Hashable, Sendable {
    /// SHA-256 of the code.
    public let hash: [UInt8]
    /// The session on the page, if it ends now.
    public let endedSession: ID<Session>?
}

/// Stores the codes of the sign-in page.
public protocol SignInCodeStore: Sendable {
    /// Whether the flow has a code: it is finished.
    func isFinished(_ flow: [UInt8], in realm: ID<Realm>) async throws -> Bool

    /// Stores a code, and the session of the browser.
    ///
    /// - Throws: ``StoreConflict/alreadyUsed`` if the flow has a code. The session on the page is then ended, unless it
    ///   existed before the flow, or is the one of that code.
    func issue(_ code: NewSignInCode, _ browser: NewBrowserSession?, at now: Instant, in realm: ID<Realm>) async throws

    /// Opens the session of an administrator's ``SupportAccess``, and stores its code, the audit event and the emails.
    ///
    /// - Throws: ``StoreConflict/stale`` if the account has changed.
    func issue(
        _ code: NewSignInCode, for session: NewSession, recording note: AuditNote, by actor: AuditActor,
        sending emailBatch: EmailBatch, in realm: ID<Realm>) async throws

    /// - Parameter hash: SHA-256 of the code.
    func find(_ hash: [UInt8], in realm: ID<Realm>) async throws -> StoredSignInCode?

    /// Marks the code as used, and opens the session of the app in the same transaction.
    ///
    /// - Parameter ended: the session on the page, if it ends now.
    /// - Throws: ``StoreConflict/alreadyUsed``; ``StoreConflict/stale`` if the account has changed;
    ///   ``ChangedDuringHooks``.
    func exchange(
        _ hash: [UInt8], opening session: NewSession, ending ended: ID<Session>?, in realm: ID<Realm>
    ) async throws

    /// Ends a session on the page that has no code.
    func end(_ session: ID<Session>, at now: Instant, in realm: ID<Realm>) async throws

    /// Ends the session that the first use of the code has opened.
    func endSession(openedWith hash: [UInt8], at now: Instant, in realm: ID<Realm>) async throws
}

/// Why a code of the sign-in page is not exchanged.
public enum SignInCodeRefusal: Refusal, Hashable {
    case missing
    case missingVerifier
    /// The code is unknown, used or expired, or belongs to another app, URL or verifier.
    case invalid

    public var code: ErrorCode {
        switch self {
        case .missing: .missingCode
        case .missingVerifier: .invalidArgument
        case .invalid: .invalidCode
        }
    }

    public var detail: String? {
        switch self {
        case .missing: nil
        case .missingVerifier: "code_verifier must have 43 to 128 characters (RFC 7636)."
        case .invalid:
            "The code is not valid: it was used, has expired, or belongs to another app, continueUri or code_verifier."
        }
    }
}
