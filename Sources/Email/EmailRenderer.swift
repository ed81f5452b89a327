public import Identity
public import SMTP

/// Writes the message of a letter, the same one however often it is asked.
public struct EmailRenderer: Sendable {
    private let sender: EmailAddress
    private let actionBase: @Sendable (EmailSettings, ActionLink.Mode) -> String

    /// - Parameters:
    ///   - sender: for projects that have none of their own.
    ///   - actionBase: where a project's links lead.
    public init(sender: EmailAddress, actionBase: @escaping @Sendable (EmailSettings, ActionLink.Mode) -> String) {
        self.sender = sender
        self.actionBase = actionBase
    }

    /// - Returns: `nil` if there should be a link and is no code for it.
    public func message(of letter: OutgoingEmail, _ content: EmailPayload, in mailed: SendingProject) -> Message? {
        let settings = mailed.project.mail
        let language = letter.language ?? settings.language
        let link = link(of: letter, content, in: mailed.project, language)
        guard letter.kind.linkIsOptional || (letter.kind.linkMode == nil) == (link == nil) else { return nil }
        let removals = content.removals ?? []
        let facts = TemplateValues(
            kind: letter.kind, app: mailed.name, method: .init(content.provider, in: mailed.project),
            methods: content.methods.map { $0.map { .init($0, in: mailed.project) } } ?? [], hasLink: link != nil,
            lifetime: HumanDuration(letter.expiresAt - letter.createdAt),
            removable: removals.map { .init($0.provider, in: mailed.project) })
        var wording = EmailTemplate(facts, in: language)
        if let subject = settings.subjects[letter.kind]?[language] { wording.subject = subject }
        let removalLinks = removals.map { removal in
            self.link(.removeSignInMethod, removal.code, of: letter, content, in: mailed.project, language)
        }
        let layout = EmailLayout(
            wording, links: ([link].compactMap(\.self) + removalLinks).map(\.url), language: language)
        return Message(
            from: Mailbox(
                address: (settings.senderAddress ?? sender).rawValue, name: settings.senderName ?? mailed.name),
            to: letter.recipient.rawValue, replyTo: settings.replyTo?.rawValue, subject: wording.subject,
            date: letter.createdAt.seconds, id: letter.id.rawValue, text: layout.text, html: layout.html)
    }

    /// - Returns: `nil` if the letter has none, or no code for it.
    public func link(
        of letter: OutgoingEmail, _ content: EmailPayload, in project: Project, _ language: Language? = nil
    ) -> ActionLink? {
        guard let mode = letter.kind.linkMode, let code = content.code else { return nil }
        return self.link(mode, code, of: letter, content, in: project, language)
    }

    private func link(
        _ mode: ActionLink.Mode, _ code: String, of letter: OutgoingEmail, _ content: EmailPayload, in project: Project,
        _ language: Language?
    ) -> ActionLink {
        ActionLink(
            mode, code: code, in: project.realm, at: actionBase(project.mail, mode), apiKey: content.apiKey,
            language: language ?? letter.language ?? project.mail.language, continueURL: content.continueURL)
    }
}
