internal import HTML
internal import Identity

/// A ceremony with passkeys, which ``PageScript/passkeys`` performs (WebAuthn Level 3 §5.1).
public struct PasskeyCeremony: Sendable {
    /// `PublicKeyCredentialRequestOptionsJSON` or `PublicKeyCredentialCreationOptionsJSON`.
    let options: String
    /// `UnknownCredentialOptions` of a passkey that no account has, so that the browser stops offering it; `nil` if the
    /// user has presented no such passkey.
    let unknown: String?

    public init(options: String, unknown: String? = nil) {
        self.options = options
        self.unknown = unknown
    }

    /// The attributes of the form, or of the element with its button. It stays hidden in a browser without scripts or
    /// without passkeys.
    var attributes: [Attribute] {
        [.hidden, .passkeyOptions(options)] + (unknown.map { [.unknownPasskey($0)] } ?? [])
    }
}

extension Page {
    /// Returns the page with the script, if `ceremony` or a form of `step` needs it.
    func with(_ ceremony: PasskeyCeremony?, _ step: SignInStep? = nil) -> Page {
        var page = self
        page.usesPasskeys = ceremony != nil || step?.asksForPasskeys == true
        return page
    }

    /// Offers to create a passkey before the page returns to the app.
    ///
    /// - Parameters:
    ///   - ceremony: `nil` if the login is no longer recent.
    ///   - isNewAccount: whether the user has just created the account. To cancel would not undo that, so it is not
    ///     offered.
    public static func passkeyOffer(
        _ ceremony: PasskeyCeremony?, isNewAccount: Bool, _ step: SignInStep, _ context: Context
    ) -> Page {
        let creation = ceremony.map { [Markup(.div, $0.attributes, context.passkeyCreation)] } ?? []
        return titled(
            .passkeyOfferTitle, step,
            context.summary(of: step) + [context.paragraph(.passkeyOfferAdvice)] + creation + [
                context.actionButton(.skipPasskey, context.localized(.notNow)),
                context.footer([], step, cancels: !isNewAccount),
            ], context
        ).with(ceremony)
    }
}

extension Page.Context {
    /// The button that creates a passkey.
    var passkeyCreation: [Markup] {
        [
            actionButton(.createPasskey, localized(.createPasskey), nil),
            .passkeyStatus(text(.passkeyNotCreated)),
        ]
    }

    /// The button that signs in with a passkey.
    ///
    /// - Parameter isAlone: whether the page has no other method, so that it explains why it is empty in a browser
    ///   without passkeys.
    func passkeyButton(_ ceremony: PasskeyCeremony?, isAlone: Bool = false) -> [Markup] {
        guard let ceremony else { return [] }
        return (isAlone ? [.withoutPasskeys(text(.passkeyUnsupported))] : []) + [
            Markup(
                .div, ceremony.attributes,
                [actionButton(.passkey, localized(.passkeySignIn)), .passkeyStatus(text(.passkeyFailed))])
        ]
    }
}

extension Markup {
    /// A text that the script hides if the browser supports passkeys.
    static func withoutPasskeys(_ text: String) -> Markup { Markup(.p, [.id(ElementID("noPasskeys"))], text: text) }

    /// A hidden text, which the script shows if the ceremony fails or the user ends it.
    static func passkeyStatus(_ text: String) -> Markup { Markup(.p, [.role("status"), .hidden], text: text) }
}
