internal import HTML
public import Identity

extension Page {
    /// Asks for the address to which a link and a code are sent.
    public static func requestEmailCode(_ screen: SignInScreen, _ step: SignInStep, _ context: Context) -> Page {
        titled(
            .emailCodeTitle, step,
            context.summary(of: step) + [
                context.paragraph(.emailCodeAdvice), context.emailForm(screen, step, context.localized(.sendEmail)),
                context.footer([context.switchLink(.backToSignIn, to: .signIn, step)], step),
            ], context)
    }

    /// Asks for the code from the email. The page is the same whether or not an account has the address.
    ///
    /// - Parameters:
    ///   - isOwners: whether the address is that of the account that authenticates again, the only one possible.
    ///   - isForSignUp: whether the user has chosen a password for a new account.
    public static func emailCode(
        sentTo email: EmailAddress, isOwners: Bool, isForSignUp: Bool, _ step: SignInStep, _ context: Context
    ) -> Page {
        titled(
            .resetSentTitle, step,
            context.summary(of: step) + [
                context.paragraph(.emailCodeSent, [.email: .name(email.rawValue), .minutes: .count(context.minutes)]),
                step.form(
                    .enterCode,
                    [
                        Markup(.label, [.for(.code)], text: context.text(.codeFromEmail)),
                        context.codeInput(autocomplete: true, isWrong: step.problem == .wrongCode),
                        context.button(context.localized(.confirm)),
                    ]),
                context.actionButton(.emailAgain, context.localized(.emailAgain)),
                context.footer(
                    (isOwners ? [] : [context.switchLink(.otherAddress, to: isForSignUp ? .signUp : .emailCode, step)])
                        + [context.switchLink(.backToSignIn, to: .signIn, step)], step),
            ], context)
    }

    /// Asks the user who opened the link of an email to continue. Loading the page does not sign in, because email
    /// scanners follow links too.
    public static func emailLink(
        _ link: String, sentTo email: EmailAddress, _ step: SignInStep, _ context: Context
    ) -> Page {
        titled(
            .continueTitle, step,
            context.summary(of: step) + [
                context.paragraph(.linkOpened, [.email: .name(email.rawValue)]),
                step.form(.openLink, [.hidden(.link, link), context.button(context.localized(.confirm))]),
                context.footer([], step),
            ], context)
    }
}

extension Page.Context {
    /// The offer to sign in by email, below the password: a link to the screen that asks for the address. Without a
    /// password, the form itself.
    ///
    /// - Parameter sharesForm: whether the page has ``screensForm(_:)``.
    func emailOffer(_ screen: SignInScreen, _ step: SignInStep, sharesForm: Bool = false) -> [Markup] {
        guard screen.offersEmail else { return [] }
        guard !screen.emailsOwner else { return [actionButton(.emailCode, localized(.emailMe))] }
        guard screen.offersPassword else {
            return (screen.providers.isEmpty ? [] : [divider]) + [emailForm(screen, step, localized(.emailMe))]
        }
        return [
            sharesForm
                ? switchButton(.emailMe, to: .emailCode)
                : switchLink(.emailMe, to: .emailCode, step, isButton: true)
        ]
    }

    fileprivate func emailForm(_ screen: SignInScreen, _ step: SignInStep, _ label: Text) -> Markup {
        step.form(
            .emailCode,
            [emailField(screen.email, step.problem)] + (screen.offersStaying ? [stayCheckbox(screen.stays)] : [])
                + [button(label)])
    }

    fileprivate var minutes: Int { Int(SignInPageEmail.lifetime.components.seconds / 60) }
}
