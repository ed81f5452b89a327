/// An email with sample values.
public struct EmailPreview: Sendable {
    public let subject: String
    public let text: String
    public let html: String

    public init(subject: String, text: String, html: String) {
        self.subject = subject
        self.text = text
        self.html = html
    }
}

extension EmailPreview {
    /// Renders an email with a link that does not work. Logos are missing, because an email attaches them.
    ///
    /// The arguments are the kind, the language, the realm, the display name of the project, and the app whose brand
    /// the email has.
    public typealias Renderer =
        @Sendable (OutgoingEmail.Kind, Language, Realm, String, ID<App>?) -> EmailPreview?
}
