/// A project's sender, subjects and link target for emails.
public struct EmailSettings: Hashable, Sendable {
    /// `nil` means the sender of the installation.
    public var senderAddress: EmailAddress?
    /// `nil` means the project's name.
    public var senderName: String?
    public var replyTo: EmailAddress?
    /// Target of the links in emails: an https URL without query and fragment (http for loopback hosts only); `nil`
    /// means the gateway's own page.
    public var actionURL: String?
    /// The language for requests that specify none.
    public var language: Language
    /// Subjects that replace the default ones.
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
