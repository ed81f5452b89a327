internal import HTML
public import Identity

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

    /// The attributes of the form. It stays hidden in a browser without scripts or without passkeys.
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

    /// Offers to create a passkey before the page returns to the app. To cancel is a form, because the session of the
    /// sign-in ends with it.
    ///
    /// - Parameters:
    ///   - ceremony: `nil` if the login is no longer recent.
    ///   - answer: the secret without which the offer cannot be answered.
    ///   - isNewAccount: whether the user has just created the account. To cancel would not undo that, so it is not
    ///     offered.
    public static func passkeyOffer(
        _ ceremony: PasskeyCeremony?, answer: Secret, isNewAccount: Bool, _ step: SignInStep, _ context: Context
    ) -> Page {
        let answer = Markup.hidden(.offer, answer.expose())
        let creation = ceremony.map { ceremony in
            step.form(
                .createPasskey,
                [
                    answer, .hidden(.credential, ""), context.button(context.localized(.createPasskey)),
                    .passkeyStatus(context.text(.passkeyNotCreated)),
                ], ceremony.attributes)
        }
        return titled(
            .passkeyOfferTitle, step,
            context.summary(of: step) + [context.paragraph(.passkeyOfferAdvice)] + [creation].compactMap(\.self)
                + [step.form(.skipPasskey, [answer, context.quietButton(.notNow)])]
                + (isNewAccount ? [] : [step.form(.cancel, [answer, context.plainButton(.cancel)])]), context
        ).with(ceremony)
    }
}

extension Page.Context {
    /// The form whose button signs in with a passkey.
    ///
    /// - Parameter isAlone: whether the page has no other method, so that it explains why it is empty in a browser
    ///   without passkeys.
    func passkeyForm(_ ceremony: PasskeyCeremony?, _ step: SignInStep, isAlone: Bool = false) -> [Markup] {
        guard let ceremony else { return [] }
        return (isAlone ? [.withoutPasskeys(text(.passkeyUnsupported))] : []) + [
            step.form(
                .passkey,
                [.hidden(.credential, ""), quietButton(.passkeySignIn), .passkeyStatus(text(.passkeyFailed))],
                ceremony.attributes)
        ]
    }
}

extension Markup {
    /// A text that the script hides if the browser supports passkeys.
    static func withoutPasskeys(_ text: String) -> Markup { Markup(.p, [.id(ElementID("noPasskeys"))], text: text) }

    /// A hidden text, which the script shows if the ceremony fails or the user ends it.
    static func passkeyStatus(_ text: String) -> Markup { Markup(.p, [.role("status"), .hidden], text: text) }
}
