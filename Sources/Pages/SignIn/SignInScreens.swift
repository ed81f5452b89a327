internal import HTML
public import Identity

/// What every step of the sign-in page has: the hidden fields of its forms, and what was wrong with the last one.
public struct SignInStep: Sendable {
    public let flow: String
    public let formToken: String
    /// The secret without which a page that asks a question of a ``HeldSignIn`` cannot be answered.
    public var answer: Secret?
    /// Whether forms ask the browser if it can create a passkey, which the gateway then offers after a sign-in by
    /// password.
    public var asksForPasskeys = false
    /// What went wrong with the submitted form; `nil` if nothing did.
    public var problem: SignInProblem?

    public init(flow: String, formToken: String, problem: SignInProblem? = nil) {
        self.flow = flow
        self.formToken = formToken
        self.problem = problem
    }
}

/// A URL of the app, whose target was checked when the sign-in started.
public struct CheckedReturn: Sendable {
    let target: AuthorizationTarget
    public let url: String

    /// - Parameter url: the URL of `target` with further parameters.
    public init(_ target: AuthorizationTarget, url: String) {
        self.target = target
        self.url = url
    }

    var destination: Destination { .app(target, at: url) }
}

/// The names of the fields in the forms of the sign-in page.
public enum SignInField: String, Sendable {
    case flow, formToken, step, email, password, code, factor, stay, credential, link
    /// The ID of what a guest confirms.
    case preview
    /// Whether the browser remembers the account, and the remembered account that a form is about.
    case remember, account
    /// Filled by the script if the browser can create passkeys.
    case passkeys
    /// The secret of the page that asks a question of a ``HeldSignIn``.
    case offer
    /// The sealed state of the enrolment of a one-time password, and its secret, which the page shows.
    case enrolment, secret
}

/// The steps that a form of the sign-in page requests. The raw values are those of the field `step`.
public enum SignInAction: String, CaseIterable, Sendable {
    case signIn, signUp, guest, resume, secondFactor, passkey, createPasskey, skipPasskey, cancel, confirm, reset
    /// Remember the account that signs in with a provider, or do not.
    case remember, dontRemember
    case notNow, forget
    /// Send an email with a link and a code, or another one; enter its code; open its link.
    case emailCode, emailAgain, enterCode, openLink
    /// Add a second factor; send an email that verifies the address first; continue with the added factor.
    case enrolFactor, verifyEmail, finishEnrolment
}

/// The first step: every method that the app offers.
public struct SignInScreen: Sendable {
    public var providers: [ProviderButton] = []
    public var offersPassword = false
    public var offersSignUp = false
    public var offersGuest = false
    /// The ceremony with which the user signs in with a passkey; `nil` if passkeys are not offered.
    public var passkey: PasskeyCeremony?
    /// Whether an email with a link and a code is offered.
    public var offersEmail = false
    /// Whether the email goes to the address of the account that authenticates again.
    public var emailsOwner = false
    /// Whether "Stay signed in" is offered: the browser gets a session.
    public var offersStaying = false
    /// The accounts that the browser remembers, the newest first.
    public var remembered: [RememberedAccounts.Entry] = []
    /// The values of the submitted form, or of the request.
    public var email = ""
    public var stays = false
    public var remembers = false
    /// The user for whose account a link or re-authentication is; `nil` for a sign-in.
    public var subject: String?
    /// Whether a guest signs in.
    public var isForGuest = false
    /// What the user of an account signs in for.
    public var operation = AuthorizationFlow.Operation.signIn
    /// Whether the user has chosen a remembered account, so that only the password is missing.
    public var focusesPassword = false
    /// Whether a form was rejected because the login was too old, so that its content is lost.
    public var hasLostForm = false

    public init() {}

    /// Whether passkeys are the only method, so that the page is empty in a browser without them.
    var offersOnlyPasskeys: Bool {
        providers.isEmpty && !offersPassword && !offersGuest && !offersEmail && passkey != nil
    }

    fileprivate var title: SignInPageText {
        switch operation {
        case .link where !isForGuest: .linkTitle
        case .reauthenticate: .proveTitle
        case .signIn, .link: .signInTitle
        }
    }

    /// Whether the page shows no method at all.
    public var isEmpty: Bool {
        providers.isEmpty && !offersPassword && !offersGuest && !offersEmail && passkey == nil
    }
}

extension Page {
    public static func signIn(_ screen: SignInScreen, _ step: SignInStep, _ context: Context) -> Page {
        var content = context.summary(of: step)
        if let subject = screen.subject { content.append(context.paragraph(.subject, [.name: .name(subject)])) }
        if screen.isForGuest { content.append(context.paragraph(.guestAdvice)) }
        if screen.operation == .reauthenticate { content.append(context.paragraph(.proveAdvice)) }
        if screen.hasLostForm { content.append(context.paragraph(.formLost)) }
        content += context.providerButtons(of: screen, step)
        if !screen.providers.isEmpty, screen.offersStaying {
            content += context.rememberChoice(screen.remembers)
        }
        if screen.offersPassword {
            if !screen.providers.isEmpty { content.append(context.divider) }
            content.append(step.form(.signIn, context.passwordFields(screen, step.problem)))
            content.append(context.switchButton(.forgotPassword, to: .reset, isLink: true))
        }
        content += context.passkeyButton(screen.passkey, isAlone: screen.offersOnlyPasskeys)
        content += context.emailOffer(screen, step, sharesForm: true)
        let offersBoth = screen.offersSignUp && screen.offersGuest
        if offersBoth { content.append(context.switchButton(.createAccount, to: .signUp)) }
        if screen.offersGuest { content.append(context.actionButton(.guest, context.localized(.guest))) }
        if screen.isEmpty { content.append(context.paragraph(.noMethod)) }
        if !screen.remembered.isEmpty { content.append(context.switchButton(.rememberedAccounts, to: .accounts)) }
        content += context.help(.signInHelp)
        content.append(
            context.footer(
                screen.offersSignUp && !offersBoth
                    ? [context.switchButton(.createAccount, to: .signUp, isLink: true)] : [], step))
        content.append(context.screensForm(step))
        var page = titled(screen.title, step, content, context).with(screen.passkey, step)
        page.languageForm = .screens
        page.showsProviders = !screen.providers.isEmpty
        return page
    }

    /// Creates an account with a password, or with a provider, whose sign-in creates one too.
    ///
    /// - Parameter rules: the requirements for the password, which the page shows before the user types.
    public static func signUp(
        _ screen: SignInScreen, _ rules: PasswordRules, _ step: SignInStep, _ context: Context
    ) -> Page {
        let requirements = rules.requirements.map { Markup(.li, context.words($0.label)) }
        let password: [Attribute] =
            [
                .id(.password), .name(SignInField.password.rawValue), .type("password"), .autocomplete("new-password"),
                .required, .minlength(rules.minimumLength), .passwordRules(rules.attribute),
                .describedBy(step.problem?.concernsPassword == true ? [.problem, .passwordRules] : [.passwordRules]),
            ] + (step.problem?.concernsPassword == true ? [.invalid] : [])
        let form = step.form(
            .signUp,
            [
                context.emailField(screen.email, step.problem),
                Markup(.label, [.for(.password)], text: context.string(.page(.password))), .void(.input, password),
                Markup(.ul, [.id(.passwordRules), .classes(.note)], requirements),
                context.button(context.localized(.createAccount)),
            ])
        let providers =
            context.providerButtons(of: screen, step) + (screen.providers.isEmpty ? [] : [context.divider])
        var page = titled(
            .signUpTitle, step,
            context.summary(of: step) + (screen.isForGuest ? [context.paragraph(.upgradeKeeps)] : []) + providers + [
                form
            ] + context.help(.signUpHelp) + [
                context.footer([context.switchLink(.haveAccount, to: .signIn, step)], step)
            ],
            context)
        page.usesPasskeys = step.asksForPasskeys
        page.showsProviders = !screen.providers.isEmpty
        return page
    }

    /// Lists the accounts that the browser remembers, each with a way to remove it.
    ///
    /// - Parameter entries: the accounts, with the name of the provider whose button signs in.
    public static func rememberedAccounts(
        _ entries: [(entry: RememberedAccounts.Entry, provider: String?)], _ step: SignInStep, _ context: Context
    ) -> Page {
        titled(
            .rememberedAccounts, step,
            entries.flatMap { context.rememberedAccount($0.entry, provider: $0.provider) } + [
                step.form(.forget, [], [.id(.forget)]), context.screensForm(step),
                context.footer([context.switchButton(.backToSignIn, to: .signIn, isLink: true)], step),
            ], context)
    }

    /// Asks whether to continue with the account of the browser's session.
    ///
    /// - Parameter name: the user's name or address.
    public static func continueAs(_ name: String, _ step: SignInStep, _ context: Context) -> Page {
        titled(
            .continueTitle, step,
            [
                context.actionButton(.resume, context.localized(.continueAs, [.name: .name(name)]), nil),
                context.switchLink(.otherAccount, to: .signIn, step, isButton: true),
                context.footer([], step),
            ], context)
    }

    /// The page after a sign-in. It returns to the app on its own if the app is a web page.
    public static func signedIn(returningTo back: CheckedReturn, isAutomatic: Bool, _ context: Context) -> Page {
        var page = Page(
            context, context.localized(.signedInTitle),
            [
                Markup(.p, [.role("status")], text: context.text(isAutomatic ? .signedInReturning : .signedInReturn)),
                context.link(context.localized(.backToApp), to: back.destination),
            ])
        page.refresh = isAutomatic ? back.destination : nil
        return page
    }

    /// A page about a flow that does not continue.
    ///
    /// - Parameter isAutomatic: whether the page returns to the app on its own.
    public static func signInFailure(
        _ failure: SignInFailure, returningTo back: CheckedReturn?, isAutomatic: Bool = false, _ context: Context
    ) -> Page {
        var page = Page(
            context, failure.title,
            [context.paragraph(failure.advice)]
                + (back.map { [context.link(context.localized(.backToApp), to: $0.destination)] } ?? []))
        page.refresh = isAutomatic ? back?.destination : nil
        return page
    }

    static func titled(
        _ key: SignInPageText, _ step: SignInStep, _ content: [Markup], _ context: Context
    ) -> Page {
        var page = Page(context, context.localized(key), content)
        page.isSignIn = true
        if step.problem != nil { page.windowTitlePrefix = context.string(.page(.rejectedForm)) }
        return page
    }
}

/// Why the sign-in page shows no step.
public enum SignInFailure: Sendable {
    case expired, otherBrowser, finished, badRequest, unavailable, otherAccount
    /// The user cancelled. If the flow had a session, it has ended.
    case cancelled
    /// The link of an email was opened in another browser than that of its flow.
    case linkElsewhere
    /// A guest account cannot become part of the account.
    case mergeRefused
    /// The account needs a second factor, and this page cannot add one.
    case factorMissing
}

extension SignInFailure {
    var title: Text {
        switch self {
        case .expired: .flow(.expired)
        case .otherBrowser: .signIn(.otherBrowserTitle)
        case .finished: .flow(.alreadyUsed)
        case .badRequest: .flow(.malformed)
        case .unavailable: .signIn(.unavailableTitle)
        case .otherAccount: .signIn(.otherBrowserTitle)
        case .linkElsewhere: .signIn(.linkElsewhereTitle)
        case .mergeRefused, .factorMissing: .signIn(.otherBrowserTitle)
        case .cancelled: .signIn(.cancelledTitle)
        }
    }

    var advice: Text {
        switch self {
        case .expired: .signIn(.expiredAdvice)
        case .otherBrowser: .signIn(.otherBrowserAdvice)
        case .finished: .flow(.alreadyUsedAdvice)
        case .badRequest: .signIn(.badRequestAdvice)
        case .unavailable: .signIn(.unavailableAdvice)
        case .otherAccount: .signIn(.userMismatch)
        case .linkElsewhere: .signIn(.linkElsewhereAdvice)
        case .mergeRefused: .signIn(.mergeRefused)
        case .factorMissing: .signIn(.factorMissing)
        case .cancelled: .signIn(.signedInReturning)
        }
    }
}
