/// A sign-in that the page holds until its user has answered a question. The app gets no code before.
public struct HeldSignIn: Hashable, Codable, Sendable {
    /// How long the user can answer, from the login or from the enrolment of a factor on. Who finds the page later
    /// could be anyone.
    public static let lifetime: Duration = .seconds(300)

    /// What the page asks. The gateway shows a question once, because the next person at the browser can load the page
    /// from the history.
    public enum Question: String, Codable, Sendable {
        /// Whether to create a passkey, after a sign-in by password.
        case passkey
        /// To add the second factor that the policy demands of every account, on a page that no browser has loaded yet.
        case secondFactor
        /// The same, on a page that a browser has loaded.
        case shownSecondFactor
        /// To save the recovery codes of the added factor.
        case recoveryCodes
    }

    public let account: ID<Account>
    /// The session on the page. It is restricted until the account has the factor that the policy demands.
    public var session: ID<Session>
    public let isNewAccount: Bool
    public let stays: Bool
    public var question: Question
    /// SHA-256 of the secret that only the page with the question and a cookie of its browser have.
    public let answerHash: [UInt8]
    public var endsAt: Instant

    public init(_ signedIn: SignedIn, asking question: Question, answerHash: [UInt8], stays: Bool) {
        account = signedIn.account.id
        session = signedIn.session.id
        isNewAccount = signedIn.isNewAccount
        self.stays = stays
        self.question = question
        self.answerHash = answerHash
        endsAt = signedIn.session.authenticatedAt + Self.lifetime
    }
}
