internal import HTML
public import Identity

/// How a user can add the second factor that the policy demands.
public struct EnrolmentScreen: Sendable {
    /// The one-time password to add; `nil` if the policy does not allow one, or the address is not verified.
    public var oneTimePassword: PendingOneTimePassword?
    /// The ceremony that creates a passkey, or signs in with one that the account has.
    public var passkey: PasskeyCeremony?
    public var hasPasskey = false
    /// The address that must be verified before a one-time password can be added.
    public var unverified: EmailAddress?
    /// Whether an email was sent to the address.
    public var isEmailSent = false

    public init() {}
}

extension Page {
    /// Asks the user to add a second factor before the page returns to the app.
    ///
    /// - Parameter minutes: how long the page can be answered.
    public static func enrolSecondFactor(
        _ screen: EnrolmentScreen, minutes: Int, _ step: SignInStep, _ context: Context
    ) -> Page {
        var content = context.summary(of: step) + [context.paragraph(.enrolAdvice, [.minutes: .count(minutes)])]
        let app = context.appEnrolment(screen, step)
        content += context.passkeyEnrolment(screen, isAlternative: !app.isEmpty)
        content += app
        content.append(context.footer([], step))
        return titled(.enrolTitle, step, content, context).with(screen.passkey)
    }

    /// Shows the recovery codes of the added factor.
    ///
    /// - Parameter minutes: how long the user can continue.
    public static func enrolledSecondFactor(
        recoveryCodes: [String], minutes: Int, _ step: SignInStep, _ context: Context
    ) -> Page {
        titled(
            .enrolTitle, step,
            [
                Markup(.h2, context.words(Text(AccountPageText.recoveryTitle))),
                context.paragraph(Text(AccountPageText.recoveryAdvice)),
                Markup(.ul, recoveryCodes.map { Markup(.li, [Markup(.code, text: $0)]) }),
                context.paragraph(.enrolEnds, [.minutes: .count(minutes)]),
                step.form(
                    .finishEnrolment,
                    [context.button(Text(AccountPageText.recoveryDone))]),
            ], context)
    }
}

extension Page.Context {
    fileprivate func passkeyEnrolment(_ screen: EnrolmentScreen, isAlternative: Bool) -> [Markup] {
        guard let ceremony = screen.passkey else { return [] }
        // Below the button for a new passkey, which is hidden in a browser without passkeys, the divider is hidden too.
        let divider = isAlternative ? [divider] : []
        guard !screen.hasPasskey else { return [paragraph(.enrolPasskey)] + passkeyButton(ceremony) + divider }
        return [Markup(.div, ceremony.attributes, [paragraph(.passkeyOfferAdvice)] + passkeyCreation + divider)]
    }

    fileprivate func appEnrolment(_ screen: EnrolmentScreen, _ step: SignInStep) -> [Markup] {
        let heading = Markup(.h2, words(Text(AccountPageText.authenticatorTitle)))
        if let email = screen.unverified {
            let address: [Placeholder: TextValue] = [.email: .name(email.rawValue)]
            let send =
                screen.isEmailSent
                ? actionButton(.verifyEmail, localized(.emailAgain))
                : actionButton(.verifyEmail, localized(.sendEmail), nil)
            let goOn = actionButton(.enrolFactor, localized(.confirm), nil)
            return screen.isEmailSent
                ? [heading, paragraph(.enrolEmailSent, address), goOn, send]
                : [heading, paragraph(.enrolEmail, address), send]
        }
        guard let pending = screen.oneTimePassword else { return [] }
        let fields: [Markup] = [
            .hidden(.enrolment, pending.enrolment), .hidden(.secret, pending.secret),
            label(Text(AccountPageText.authenticatorCode), for: .code),
            codeInput(autocomplete: true, isWrong: step.problem == .wrongCode),
            button(Text(AccountPageText.turnOn)),
        ]
        return [heading, paragraph(Text(AccountPageText.authenticatorSteps))] + pending.secretToScan(self)
            + [step.form(.enrolFactor, fields)]
    }
}
