internal import HTML
internal import Identity

extension SignInStep {
    /// A form that requests `action`. Other actions are forms of their own, so they send no password.
    func form(_ action: SignInAction, _ content: [Markup], _ attributes: [Attribute] = []) -> Markup {
        Markup(
            .form, [.post, .action(.signInPage)] + attributes,
            [
                .hidden(.flow, flow), .hidden(.formToken, formToken), .hidden(.step, action.rawValue),
            ] + (asksForPasskeys && action.canProvePassword ? [.hidden(.passkeys, "")] : []) + content)
    }
}

extension SignInAction {
    /// Whether the step can complete a sign-in by password.
    fileprivate var canProvePassword: Bool {
        switch self {
        case .signIn, .signUp, .secondFactor: true
        default: false
        }
    }
}

extension Page.Context {
    var divider: Markup { Markup(.p, [.classes(.divider)], text: text(.or)) }

    func providerButtons(of screen: SignInScreen, _ step: SignInStep) -> [Markup] {
        guard !screen.providers.isEmpty else { return [] }
        return [Markup(.div, [.classes(.providers)], screen.providers.map { $0.markup(flow: step.flow, self) })]
    }

    func emailField(_ value: String, _ problem: SignInProblem?) -> Markup {
        let isWrong = problem?.concernsEmail == true
        return Markup(
            .div,
            [
                Markup(.label, [.for(.address)], text: string(.page(.emailAddress))),
                .void(
                    .input,
                    [
                        .id(.address), .name(SignInField.email.rawValue), .type("email"),
                        .autocomplete("username webauthn"), .required, .maxlength(254), .value(value),
                    ] + (isWrong ? [.invalid, .describedBy([.problem])] : [])),
            ])
    }

    func passwordFields(_ screen: SignInScreen, _ problem: SignInProblem?) -> [Markup] {
        let isWrong = problem?.concernsPassword == true
        let password: [Attribute] =
            [
                .id(.password), .name(SignInField.password.rawValue), .type("password"),
                .autocomplete("current-password"), .required,
            ] + (isWrong ? [.invalid, .describedBy([.problem])] : [])
            + (screen.focusesPassword && problem == nil ? [.autofocus] : [])
        return [
            emailField(screen.email, problem), Markup(.label, [.for(.password)], text: string(.page(.password))),
            .void(.input, password),
        ] + (screen.offersStaying ? [stayCheckbox(screen.stays), rememberCheckbox(screen.remembers)] : [])
            + [button(localized(.signIn))]
    }

    func stayCheckbox(_ isChecked: Bool) -> Markup { checkbox(.stay, .stay, .stay, isChecked: isChecked) }

    func rememberCheckbox(_ isChecked: Bool) -> Markup {
        checkbox(.remember, .remember, .rememberAccount, isChecked: isChecked)
    }

    private func checkbox(_ id: ElementID, _ field: SignInField, _ label: SignInPageText, isChecked: Bool) -> Markup {
        Markup(
            .div, [.classes(.choice)],
            [
                .void(
                    .input,
                    [.id(id), .type("checkbox"), .name(field.rawValue), .value("on")] + (isChecked ? [.checked] : [])),
                Markup(.label, [.for(id)], text: text(label)),
            ])
    }

    /// Lists the accounts that the browser remembers. A provider's account leads to the provider, any other one to the
    /// form with its address.
    func rememberedAccounts(_ entries: [RememberedAccounts.Entry], _ step: SignInStep) -> [Markup] {
        guard !entries.isEmpty else { return [] }
        return [Markup(.h2, text: text(.rememberedAccounts))]
            + entries.flatMap { entry in
                let name: [Placeholder: TextValue] = [.name: .name(entry.email ?? entry.name)]
                let (signInAs, account) = (localized(.signInAs, name), SignInField.account.rawValue)
                let start =
                    Destination.provider(ofRemembered: entry, flow: step.flow)
                    .map { link(signInAs, to: $0, isSecondary: true) }
                    ?? button(
                        signInAs,
                        [.classes(.quiet), .form(.screens), .name(account), .value(entry.account.rawValue)])
                let removal = button(
                    localized(.forgetAccount, name),
                    [.classes(.quiet), .form(.forget), .name(account), .value(entry.account.rawValue)])
                return [start, removal]
            } + [step.form(.forget, [], [.id(.forget)])]
    }

    /// The choice for the providers, whose buttons are links and have no box. It works without scripts.
    func rememberChoice(_ remembers: Bool, _ step: SignInStep) -> [Markup] {
        guard remembers else { return [step.form(.remember, [plainButton(.rememberService)])] }
        return [
            Markup(.p, [.role("status"), .classes(.done)], text: text(.willRemember)),
            step.form(.dontRemember, [plainButton(.dontRemember)]),
        ]
    }

    /// The form of the buttons that lead to other screens of the same flow. Buttons share it, because each link would
    /// contain the sealed flow again.
    func screensForm(_ step: SignInStep) -> Markup {
        Markup(.form, [.id(.screens), .action(.signInPage)], [.hidden(.flow, step.flow)])
    }

    /// A button of ``screensForm(_:)``.
    func switchButton(_ key: SignInPageText, to screen: SignInPageRequest.Screen, isLink: Bool = false) -> Markup {
        button(
            localized(key),
            [.classes(isLink ? .plain : .quiet), .form(.screens), .name("screen"), .value(screen.rawValue)])
    }

    func quietButton(_ key: SignInPageText) -> Markup { button(localized(key), [.classes(.quiet)]) }

    /// A button that looks like a link.
    func plainButton(_ key: SignInPageText) -> Markup { button(localized(key), [.classes(.plain)]) }

    /// A link to another screen of the same flow.
    func switchLink(
        _ key: SignInPageText, to screen: SignInPageRequest.Screen, _ step: SignInStep, isButton: Bool = false
    ) -> Markup {
        let destination = Destination.signInPage(screen: screen.rawValue, flow: step.flow)
        guard !isButton else { return link(localized(key), to: destination, isSecondary: true) }
        return Markup(.a, [.classes(.plain), .href(destination)], text: text(key))
    }

    /// Links to other screens, and the way back to the app, which every step has.
    func footer(_ links: [Markup], _ step: SignInStep) -> Markup {
        Markup(
            .footer, [.classes(.links)],
            links + [Markup(.a, [.classes(.plain), .href(step.cancel.destination)], text: text(.cancel))])
    }
}

extension Markup {
    static func hidden(_ field: SignInField, _ value: String) -> Markup {
        .void(.input, [.type("hidden"), .name(field.rawValue), .value(value)])
    }
}

extension ElementID {
    static let stay = ElementID("stay")
    static let remember = ElementID("remember")
    static let screens = ElementID("screens")
    static let forget = ElementID("forget")
}
