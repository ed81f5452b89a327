/// An email of the sign-in page with a link and a code. The user opens the link in the browser of the flow, or enters
/// the code there.
public struct SignInPageEmail: Hashable, Codable, Sendable {
    public static let lifetime: Duration = .seconds(600)
    /// How often a code can be entered after one email.
    static let attemptLimit = 5

    public let recipient: EmailAddress
    /// Whether the browser stays signed in.
    public let stays: Bool
    /// The password of the account that the email creates; `nil` for a sign-in.
    public let passwordHash: String?
    /// SHA-256 of the flow's ID and the code.
    let codeHash: [UInt8]
    /// The hash of the flow's ID and ``SignInPageLink/email`` of the link.
    let linkHash: [UInt8]
    /// The email action code that the code and the link stand for. No email has it.
    let actionCode: String
    let expiresAt: Instant
}

/// The content of a link that leads back to a flow of the sign-in page. It continues the flow only in its browser.
public struct SignInPageLink: Hashable, SealedTokenContent {
    public static let purpose = "sign-in page emailed link"
    public static let invalidRefusal: any Refusal = SignInPageRefusal.flowInvalid

    public let flow: SignInPageFlow.Reference
    /// The tenant whose accounts the flow is about.
    public let tenant: ID<Tenant>?
    /// Proves that the mailbox received the email, and differs for each email; `nil` for a link that proves nothing.
    public let email: String?

    public init(flow: SignInPageFlow.Reference, tenant: ID<Tenant>?, email: String?) {
        self.flow = flow
        self.tenant = tenant
        self.email = email
    }
}
