/// Generates codes, and encrypts the payloads of emails.
public struct OutOfBand: Sendable {
    /// 43 random characters of base64url: 256 bits.
    public var newCode: @Sendable () -> String
    /// SHA-256.
    public var hash: @Sendable (String) -> [UInt8]
    /// A random UUID in lower case.
    public var emailID: @Sendable () -> ID<OutgoingEmail>
    public var seal: @Sendable (EmailPayload, ID<OutgoingEmail>) throws -> [UInt8]
    /// The URL that links open, without query.
    public var actionBase: @Sendable (Project, ActionLink.Mode) -> String
    /// See ``AppLink/base(for:in:at:)``.
    public var appLinkBase: @Sendable (AppLink.Request, Project) -> String?
    /// Whether the installation sends emails.
    public var isSent: Bool
    /// Whether the link that restores an address goes to the account's first address, even if that was never verified, as
    /// in Firebase's emulator. Only for `dev`.
    public var restoresFirstAddress = false

    public init(
        newCode: @escaping @Sendable () -> String, hash: @escaping @Sendable (String) -> [UInt8],
        emailID: @escaping @Sendable () -> ID<OutgoingEmail>,
        seal: @escaping @Sendable (EmailPayload, ID<OutgoingEmail>) throws -> [UInt8],
        actionBase: @escaping @Sendable (Project, ActionLink.Mode) -> String,
        appLinkBase: @escaping @Sendable (AppLink.Request, Project) -> String?, isSent: Bool
    ) {
        self.newCode = newCode
        self.hash = hash
        self.emailID = emailID
        self.seal = seal
        self.actionBase = actionBase
        self.appLinkBase = appLinkBase
        self.isSent = isSent
    }
}
