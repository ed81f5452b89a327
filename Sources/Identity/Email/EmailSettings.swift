/// How a project's mail looks, and where its links lead.
public struct EmailSettings: Hashable, Sendable {
    /// `nil` is the installation's.
    public var senderAddress: EmailAddress?
    /// `nil` is the project's name.
    public var senderName: String?
    public var replyTo: EmailAddress?
    /// Of links in mail, an https URL without query; `nil` is the gateway's own page.
    public var actionURL: String?
    /// For whoever does not say.
    public var language: Language
    /// Instead of our own.
    public var subjects: [OutgoingEmail.Kind: [Language: String]]

    public init(
        senderAddress: EmailAddress? = nil, senderName: String? = nil, replyTo: EmailAddress? = nil,
        actionURL: String? = nil,
        language: Language = .english, subjects: [OutgoingEmail.Kind: [Language: String]] = [:]
    ) {
        self.senderAddress = senderAddress
        self.senderName = senderName
        self.replyTo = replyTo
        self.actionURL = actionURL
        self.language = language
        self.subjects = subjects
    }
}
