internal import HTML
public import Identity

/// The factors with which a user can complete a sign-in.
public struct SecondFactorScreen: Sendable {
    let factors: [SignInPageStep.Factor]
    /// Whether a code was sent to a telephone number.
    let isCodeSent: Bool
    /// The ceremony with which a passkey counts as the second factor; `nil` if the account has no passkey.
    let passkey: PasskeyCeremony?
    /// Whether the rejected form was that of a recovery code.
    public var rejectsRecoveryCode = false

    public init(_ factors: [SignInPageStep.Factor], isCodeSent: Bool, passkey: PasskeyCeremony?) {
        self.factors = factors
        self.isCodeSent = isCodeSent
        self.passkey = passkey
    }
}

extension Page {
    /// Asks for a second factor.
    public static func secondFactor(_ screen: SecondFactorScreen, _ step: SignInStep, _ context: Context) -> Page {
        let (apps, numbers) = (screen.factors.filter { $0.kind == .totp }, screen.factors.filter { $0.kind == .phone })
        var first: [Markup] = []
        let (problem, recoveryProblem) = screen.rejectsRecoveryCode ? (nil, step.problem) : (step.problem, nil)
        if screen.isCodeSent {
            first = [context.paragraph(.smsSent), step.form(.secondFactor, context.codeFields("sms", problem))]
        } else if let app = apps.first {
            first = [
                context.paragraph(.totpAdvice), step.form(.secondFactor, context.codeFields(app.id, problem)),
            ]
        }
        let otherApps = (screen.isCodeSent ? apps : Array(apps.dropFirst())).map { app in
            step.form(
                .secondFactor,
                [Markup.hidden(.factor, app.id), .label(context.text(.totpOther, [.name: .name(app.name ?? "")]))]
                    + [context.codeInput(autocomplete: false), context.quietButton(.confirm)])
        }
        let messages = numbers.map { number in
            step.form(
                .secondFactor,
                [
                    .hidden(.factor, number.id),
                    context.button(context.localized(.sendSMS, [.name: .name(number.name ?? "")]), [.classes(.quiet)]),
                ])
        }
        let recovery = step.form(
            .secondFactor,
            [
                .hidden(.factor, "recovery"),
                Markup(.label, [.for(.recoveryCode)], text: context.text(.recoveryCode)),
                .void(
                    .input,
                    [
                        .id(.recoveryCode), .name(SignInField.code.rawValue), .autocomplete("off"), .required,
                        .maxlength(64),
                    ] + (recoveryProblem == nil ? [] : [.invalid, .describedBy([.problem])])),
                context.quietButton(.confirm),
            ])
        let others = Markup(
            .details, first.isEmpty || screen.rejectsRecoveryCode ? [.open] : [],
            [Markup(.summary, text: context.text(.tryAnotherWay))] + messages + otherApps + [recovery])
        let passkey = context.passkeyButton(screen.passkey)
        return titled(
            .secondFactorTitle, step,
            context.summary(of: step, at: screen.rejectsRecoveryCode ? .recoveryCode : nil) + first + passkey + [
                others, context.footer([context.switchLink(.backToSignIn, to: .signIn, step)], step),
            ], context
        ).with(screen.passkey, step)
    }

    /// Asks the owner of the account that has the address to sign in, so that the identity can be linked.
    ///
    /// - Parameters:
    ///   - provider: the name of the provider of the identity.
    ///   - known: the methods of the account; `nil` if the page must not reveal that it exists.
    ///   - isLinked: `false` if the user only signs in to the account: a guest, or the user of an account that has
    ///     another identity of the provider.
    public static func conflict(
        _ screen: SignInScreen, provider: String, known: [ProviderID]?, isLinked: Bool, _ step: SignInStep,
        _ context: Context
    ) -> Page {
        var content = context.summary(of: step)
        let advice: [SignInPageText] =
            known == nil
            ? [.conflictHidden] + (isLinked ? [.conflictHiddenLink] : []) : [isLinked ? .conflictKnown : .guestConflict]
        content += advice.map { context.paragraph($0, [.provider: .name(provider)]) }
        if !screen.providers.isEmpty {
            content.append(
                Markup(
                    .div, [.classes(.providers)],
                    screen.providers.flatMap { button in
                        [button.markup(flow: step.flow, context)]
                            + (known?.contains(button.provider) == true
                                ? [Markup(.p, [.classes(.note)], text: context.text(.knownMethod))] : [])
                    }))
        }
        if screen.offersPassword {
            if !screen.providers.isEmpty { content.append(context.divider) }
            content.append(step.form(.signIn, context.passwordFields(screen, step.problem)))
            if known?.contains(.password) == true {
                content.append(Markup(.p, [.classes(.note)], text: context.text(.knownMethod)))
            }
        }
        content += context.passkeyButton(screen.passkey)
        content += context.emailOffer(screen, step)
        if screen.offersEmail, known?.contains(.emailLink) == true {
            content.append(Markup(.p, [.classes(.note)], text: context.text(.knownMethod)))
        }
        content.append(context.actionButton(.notNow, context.localized(.notNow)))
        content.append(context.footer([], step))
        var page = titled(known == nil ? .tryAnotherWay : .conflictTitle, step, content, context)
            .with(screen.passkey, step)
        page.showsProviders = !screen.providers.isEmpty
        return page
    }

    /// Asks for the address to which a link for a new password is sent.
    ///
    /// - Parameter removesMethods: whether a reset removes passkeys and linked services.
    public static func requestReset(
        email: String, removesMethods: Bool = false, _ step: SignInStep, _ context: Context
    ) -> Page {
        titled(
            .resetTitle, step,
            context.summary(of: step) + [
                context.paragraph(.resetAdvice)
            ] + (removesMethods ? [context.paragraph(.action(.resetRemovesMethods))] : []) + [
                step.form(
                    .reset, [context.emailField(email, step.problem), context.button(context.localized(.sendEmail))]),
                context.footer([context.switchLink(.backToSignIn, to: .signIn, step)], step),
            ], context)
    }

    /// Announces the email with the link, whether or not an account has the address.
    public static func resetSent(to email: String, _ step: SignInStep, _ context: Context) -> Page {
        titled(
            .resetSentTitle, step,
            [
                context.paragraph(.resetSentAdvice, [.email: .name(email)]),
                context.footer([context.switchLink(.backToSignIn, to: .signIn, step)], step),
            ], context)
    }
}

extension Page.Context {
    func codeFields(_ factor: String, _ problem: SignInProblem?) -> [Markup] {
        [
            .hidden(.factor, factor), Markup(.label, [.for(.code)], text: text(.code)),
            codeInput(autocomplete: true, isWrong: problem != nil), button(localized(.confirm)),
        ]
    }

    func codeInput(autocomplete: Bool, isWrong: Bool = false) -> Markup {
        .void(
            .input,
            (autocomplete ? [.id(.code), .autocomplete("one-time-code")] : [.autocomplete("off")]) + [
                .name(SignInField.code.rawValue), .numericInput, .required, .maxlength(16),
            ] + (isWrong ? [.invalid, .describedBy([.problem])] : []))
    }
}

extension Markup {
    /// A text that labels the next field of a form.
    static func label(_ text: String) -> Markup { Markup(.p, text: text) }
}

extension ElementID {
    static let recoveryCode = ElementID("recoveryCode")
}
