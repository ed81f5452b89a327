/// How codes and letters are made. Both are secrets while they wait.
public struct OutOfBand: Sendable {
    /// 43 random characters of base64url: 256 bits.
    public var newCode: @Sendable () -> String
    /// SHA-256.
    public var hash: @Sendable (String) -> [UInt8]
    /// A random UUID in lower-case text.
    public var letterID: @Sendable () -> ID<OutgoingEmail>
    public var seal: @Sendable (EmailPayload, ID<OutgoingEmail>) throws -> [UInt8]
    /// Where links lead, without query.
    public var actionBase: @Sendable (Project, ActionLink.Mode) -> String
    /// Somebody sends what is written.
    public var isSent: Bool

    public init(
        newCode: @escaping @Sendable () -> String, hash: @escaping @Sendable (String) -> [UInt8],
        letterID: @escaping @Sendable () -> ID<OutgoingEmail>,
        seal: @escaping @Sendable (EmailPayload, ID<OutgoingEmail>) throws -> [UInt8],
        actionBase: @escaping @Sendable (Project, ActionLink.Mode) -> String, isSent: Bool
    ) {
        self.newCode = newCode
        self.hash = hash
        self.letterID = letterID
        self.seal = seal
        self.actionBase = actionBase
        self.isSent = isSent
    }
}
