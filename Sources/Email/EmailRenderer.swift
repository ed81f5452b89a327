public import Identity
public import SMTP

/// Renders the message of an email. The same input always gives the same message.
public struct EmailRenderer: Sendable {
    private let sender: EmailAddress
    private let actionBase: @Sendable (EmailSettings, ActionLink.Mode) -> String

    /// - Parameters:
    ///   - sender: the address of the sender for projects that configure none.
    ///   - actionBase: returns the URL, without query, that a project's links open.
    public init(sender: EmailAddress, actionBase: @escaping @Sendable (EmailSettings, ActionLink.Mode) -> String) {
        self.sender = sender
        self.actionBase = actionBase
    }

    /// - Returns: `nil` if an email of this kind needs a link and `payload` has no code for it.
    public func message(of email: OutgoingEmail, _ payload: EmailPayload, for sending: SendingRealm) -> Message? {
        let realm = sending.realm
        let settings = realm.project.emailSettings
        let language = email.language ?? settings.language
        let link = link(of: email, payload, in: realm, language)
        guard email.kind.linkIsOptional || email.kind.linkMode == nil || link != nil else { return nil }
        let removals = payload.removals ?? []
        let brand = sending.brand(of: payload.app)
        let name = brand.name ?? sending.name
        let logo = sending.inlineLogo(of: brand)
        let values = EmailTextValues(
            kind: email.kind, projectName: name, method: SignInMethodName(payload.provider, in: realm),
            staysConnectedToApple: payload.staysConnectedToApple == true,
            hasEarlierMailbox: payload.hasEarlierMailbox == true,
            resetRemovesMethods: realm.policy.resetUnlinksIdentities,
            methods: payload.methods.map { $0.map { SignInMethodName($0, in: realm) } } ?? [], code: payload.page?.code,
            keepsGuest: payload.page?.keepsGuest == true,
            hasLink: link != nil,
            lifetime: HumanDuration(email.expiresAt - email.createdAt), invitation: payload.invitation,
            removable: removals.map { SignInMethodName($0.provider, in: realm) })
        var texts = EmailTexts(values, in: language, replacedBy: realm.project.texts)
        if payload.invitation == nil, let subject = settings.subjects[email.kind]?[language] {
            texts.subject = subject
        }
        let removalLinks = removals.map { removal in
            self.link(.removeSignInMethod, removal.code, of: email, payload, in: realm, language)
        }
        let layout = EmailLayout(
            texts, links: [link?.url ?? payload.page?.link].compactMap(\.self) + removalLinks.map(\.url),
            EmailBrand(brand, name: name, logo: logo?.image), language: language)
        return Message(
            from: Mailbox(
                address: (settings.senderAddress ?? sender).rawValue, name: settings.senderName ?? name),
            to: email.recipient.rawValue, replyTo: settings.replyTo?.rawValue, subject: texts.subject,
            date: email.createdAt.seconds, id: email.id.rawValue, text: layout.text, html: layout.html,
            inlineImages: logo.map { [InlineImage(of: $0.image, $0.content)] } ?? [])
    }

    /// Returns the main link of an email, which is not one of its removal links.
    ///
    /// - Returns: `nil` if emails of this kind have no main link, or if `payload` has no code.
    public func link(
        of email: OutgoingEmail, _ payload: EmailPayload, in realm: Realm, _ language: Language? = nil
    ) -> ActionLink? {
        guard let mode = email.kind.linkMode, let code = payload.code else { return nil }
        return self.link(mode, code, of: email, payload, in: realm, language)
    }

    private func link(
        _ mode: ActionLink.Mode, _ code: String, of email: OutgoingEmail, _ payload: EmailPayload, in realm: Realm,
        _ language: Language?
    ) -> ActionLink {
        ActionLink(
            mode, code: code, in: realm.id, at: payload.appLinkBase ?? actionBase(realm.project.emailSettings, mode),
            apiKey: payload.apiKey, language: language ?? email.language ?? realm.project.emailSettings.language,
            continueURL: payload.continueURL, signInPage: payload.signInPage)
    }
}

extension InlineImage {
    fileprivate init(of image: BrandImage, _ content: [UInt8]) {
        self.init(contentID: EmailBrand.logoID, mediaType: image.header.format.rawValue, content: content)
    }
}
