internal import HTML
internal import Identity

extension SignInStep {
    /// A form that requests `action`, with fields that the user fills. Other actions are a
    /// ``Page/Context/actionButton(_:_:_:)``, which sends no password.
    func form(_ action: SignInAction, _ content: [Markup], _ attributes: [Attribute] = []) -> Markup {
        Markup(
            .form, [.post, .action(.signInPage)] + attributes,
            hiddenFields + [.hidden(.step, action.rawValue)]
                + (asksForPasskeys && action.canProvePassword ? [.hidden(.passkeys, "")] : []) + content)
    }

    fileprivate var hiddenFields: [Markup] {
        [.hidden(.flow, flow), .hidden(.formToken, formToken)] + (answer.map { [.hidden(.offer, $0.expose())] } ?? [])
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
        let content = screen.providers.flatMap { button in
            [button.markup(flow: step.flow, self)]
                + screen.remembered.filter { $0.method == button.provider }.map { note(of: $0) }
        }
        return [Markup(.div, [.classes(.providers)], content)]
    }

    /// The account of a provider that the browser remembers, below the provider's button.
    private func note(of entry: RememberedAccounts.Entry) -> Markup {
        Markup(.p, [.classes(.note)], [.isolated(entry.visibleName)])
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

    /// A remembered account: a button that leads to the form with its address, or the name of its provider, and a
    /// button that removes it.
    func rememberedAccount(_ entry: RememberedAccounts.Entry, provider: String?) -> [Markup] {
        let name: [Placeholder: TextValue] = [.name: .name(entry.visibleName)]
        func button(_ key: SignInPageText, _ form: ElementID) -> Markup {
            self.button(
                localized(key, name),
                [
                    .classes(.quiet), .form(form), .name(SignInField.account.rawValue),
                    .value(entry.account.rawValue),
                ])
        }
        return [Markup(.h2, [.isolated(entry.visibleName)])]
            + [provider.map { Markup(.p, [.isolated($0)]) } ?? button(.signInAs, .screens)]
            + [button(.forgetAccount, .forget)]
    }

    /// The choice for the providers, whose buttons are links and have no box. It works without scripts.
    func rememberChoice(_ remembers: Bool) -> [Markup] {
        guard remembers else { return [actionButton(.remember, localized(.rememberService), .plain)] }
        return [
            Markup(.p, [.role("status"), .classes(.done)], text: text(.willRemember)),
            actionButton(.dontRemember, localized(.dontRemember), .plain),
        ]
    }

    /// A button that requests `action` and sends nothing else. Such buttons share the form of the
    /// ``footer(_:_:cancels:)``, because each form contains the sealed flow again.
    ///
    /// - Parameter look: `nil` for the first action of a page.
    func actionButton(_ action: SignInAction, _ label: Text, _ look: Stylesheet.Class? = .quiet) -> Markup {
        button(
            label,
            (look.map { [.classes($0)] } ?? []) + [
                .form(.actions), .name(SignInField.step.rawValue), .value(action.rawValue),
            ])
    }

    /// The form of the buttons that lead to other screens of the same flow. Buttons share it, because each link would
    /// contain the sealed flow again. The switch of the language belongs to it, too.
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

    /// A link to another screen of the same flow.
    func switchLink(
        _ key: SignInPageText, to screen: SignInPageRequest.Screen, _ step: SignInStep, isButton: Bool = false
    ) -> Markup {
        let destination = Destination.signInPage(screen: screen.rawValue, flow: step.flow)
        guard !isButton else { return link(localized(key), to: destination, isSecondary: true) }
        return Markup(.a, [.classes(.plain), .href(destination)], text: text(key))
    }

    /// Links to other screens, "Cancel", and the form of the page's ``actionButton(_:_:_:)``.
    ///
    /// - Parameter cancels: `false` if the user can no longer return to the app without a result.
    func footer(_ links: [Markup], _ step: SignInStep, cancels: Bool = true) -> Markup {
        let cancel = cancels ? [actionButton(.cancel, localized(.cancel), .plain)] : []
        let form = Markup(.form, [.post, .id(.actions), .action(.signInPage)], step.hiddenFields + cancel)
        return Markup(.footer, [.classes(.links)], links + [form])
    }
}

extension Markup {
    static func hidden(_ field: SignInField, _ value: String) -> Markup {
        .hidden(name: field.rawValue, value: value)
    }
}

extension ElementID {
    static let stay = ElementID("stay")
    static let remember = ElementID("remember")
    static let screens = ElementID("screens")
    static let actions = ElementID("actions")
    static let forget = ElementID("forget")
}

extension RememberedAccounts.Entry {
    fileprivate var visibleName: String { email ?? name }
}
