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
    /// Asks the user to add a second factor before the page returns to the app. To cancel is a form, because the
    /// session of the sign-in ends with it.
    ///
    /// - Parameters:
    ///   - answer: the secret without which the page cannot be answered.
    ///   - minutes: how long it can be answered.
    public static func enrolSecondFactor(
        _ screen: EnrolmentScreen, answer: Secret, minutes: Int, _ step: SignInStep, _ context: Context
    ) -> Page {
        let answer = Markup.hidden(.offer, answer.expose())
        var content = context.summary(of: step) + [context.paragraph(.enrolAdvice, [.minutes: .count(minutes)])]
        let app = context.appEnrolment(screen, answer, step)
        content += context.passkeyEnrolment(screen, answer, step, isAlternative: !app.isEmpty)
        content += app
        content.append(step.form(.cancel, [answer, context.quietButton(.cancel)]))
        return titled(.enrolTitle, step, content, context).with(screen.passkey)
    }

    /// Shows the recovery codes of the added factor.
    ///
    /// - Parameter minutes: how long the user can continue.
    public static func enrolledSecondFactor(
        recoveryCodes: [String], answer: Secret, minutes: Int, _ step: SignInStep, _ context: Context
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
                    [.hidden(.offer, answer.expose()), context.button(Text(AccountPageText.recoveryDone))]),
            ], context)
    }
}

extension Page.Context {
    fileprivate func passkeyEnrolment(
        _ screen: EnrolmentScreen, _ answer: Markup, _ step: SignInStep, isAlternative: Bool
    ) -> [Markup] {
        guard let ceremony = screen.passkey else { return [] }
        // Below the form of a new passkey, which is hidden in a browser without passkeys, the divider is hidden too.
        let divider = isAlternative ? [divider] : []
        guard !screen.hasPasskey else { return [paragraph(.enrolPasskey)] + passkeyForm(ceremony, step) + divider }
        return [
            step.form(
                .createPasskey,
                [
                    answer, .hidden(.credential, ""), paragraph(.passkeyOfferAdvice),
                    button(localized(.createPasskey)), .passkeyStatus(text(.passkeyNotCreated)),
                ] + divider, ceremony.attributes)
        ]
    }

    fileprivate func appEnrolment(_ screen: EnrolmentScreen, _ answer: Markup, _ step: SignInStep) -> [Markup] {
        let heading = Markup(.h2, words(Text(AccountPageText.authenticatorTitle)))
        if let email = screen.unverified {
            let address: [Placeholder: TextValue] = [.email: .name(email.rawValue)]
            let send = step.form(
                .verifyEmail, [answer, screen.isEmailSent ? quietButton(.emailAgain) : button(localized(.sendEmail))])
            let goOn = step.form(.enrolFactor, [answer, button(localized(.confirm))])
            return screen.isEmailSent
                ? [heading, paragraph(.enrolEmailSent, address), goOn, send]
                : [heading, paragraph(.enrolEmail, address), send]
        }
        guard let pending = screen.oneTimePassword else { return [] }
        let fields: [Markup] = [
            answer, .hidden(.enrolment, pending.enrolment), .hidden(.secret, pending.secret),
            label(Text(AccountPageText.authenticatorCode), for: .code),
            codeInput(autocomplete: true, isWrong: step.problem == .wrongCode),
            button(Text(AccountPageText.turnOn)),
        ]
        return [heading, paragraph(Text(AccountPageText.authenticatorSteps))] + pending.secretToScan(self)
            + [step.form(.enrolFactor, fields)]
    }
}
