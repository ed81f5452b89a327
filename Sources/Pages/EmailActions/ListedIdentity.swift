internal import HTML
public import Identity

/// An identity that a page lists for the owner of the account.
public struct ListedIdentity: Sendable {
    let identity: LinkedIdentity
    let name: SignInMethodName

    public init(_ identity: LinkedIdentity, in realm: Realm) {
        self.identity = identity
        name = SignInMethodName(identity.provider, in: realm)
    }
}

extension CodeForm {
    /// Prefix of the field names of the checkboxes for identities. The provider's ID follows.
    public static let removalPrefix = "remove."
}

extension Page.Context {
    /// One unchecked checkbox for each identity; empty if there are no identities.
    func checkboxes(for identities: [ListedIdentity], _ title: LocalizedString, _ explanation: LocalizedString)
        -> [Markup]
    {
        guard !identities.isEmpty else { return [] }
        let boxes = identities.enumerated().map { checkbox($0.element, number: $0.offset) }
        return [
            Markup(.fieldset, [Markup(.legend, text: title.in(language)), paragraph(explanation)] + boxes)
        ]
    }

    /// The checkboxes of a page that confirms an address.
    func checkboxes(disowning identities: [ListedIdentity]) -> [Markup] {
        checkboxes(
            for: identities,
            LocalizedString("Did you add these ways to sign in?", "次のログイン方法はご自身で追加しましたか"),
            LocalizedString(
                """
                Select those that you did not add yourself. They are removed when you confirm, and the password too. You \
                are then signed out on every device.
                """,
                "ご自身で追加していないものを選んでください。確認と同時に、パスワードとともに削除し、すべての端末からログアウトします。"))
    }

    /// The ways to sign in to the account of a page; empty if the account has none.
    func detail(of methods: [SignInMethodName]) -> [(name: LocalizedString, value: Markup)] {
        guard !methods.isEmpty else { return [] }
        let list = methods.map { $0.label.in(language) }.joined(separator: LocalizedString(", ", "、").in(language))
        return [(LocalizedString("Ways to sign in", "ログイン方法"), .text(list))]
    }

    private func checkbox(_ listed: ListedIdentity, number: Int) -> Markup {
        let details = Markup(
            .div, [.id(.removalDetails(number)), .classes(.note)],
            additionDetails(of: listed.identity).map { Markup(.div, $0) })
        return Markup(
            .div, [.classes(.choice)],
            [
                .void(
                    .input,
                    [
                        .id(.removal(number)), .name(CodeForm.removalPrefix + listed.identity.provider.rawValue),
                        .type("checkbox"), .value("true"), .describedBy([.removalDetails(number)]),
                    ]),
                Markup(.label, [.for(.removal(number))], text: listed.name.label.in(language)),
                details,
            ])
    }

    private func additionDetails(of identity: LinkedIdentity) -> [[Markup]] {
        let separator = LocalizedString(": ", "：").in(language)
        let added = identity.linkedAt.map {
            [Markup.text(LocalizedString.added.in(language) + separator), .time($0, in: language)]
        }
        let device = identity.linkedDevice.map {
            [Markup.text(LocalizedString.device.in(language) + separator + shownDevice($0))]
        }
        return [added, device].compactMap(\.self)
    }

    private func shownDevice(_ userAgent: String) -> String {
        DeviceDescription.text(userAgent: userAgent).in(language)
    }

    /// The name of a sign-in method, the time when it was added, and the device that added it.
    func details(of method: AddedSignInMethod, _ name: SignInMethodName, userAgent: String?) -> Markup {
        let device = userAgent.map { [(name: LocalizedString.device, value: Markup.text(shownDevice($0)))] } ?? []
        return details(
            [
                (LocalizedString("Way to sign in", "ログイン方法"), .text(name.label.in(language))),
                (.added, .time(method.addedAt, in: language)),
            ] + device)
    }
}

extension LocalizedString {
    static let added = LocalizedString("Added", "追加日時")
    static let device = LocalizedString("Browser or app", "ブラウザーまたはアプリ")
}

extension SignInMethodName {
    var label: LocalizedString {
        switch self {
        case .named(let name): LocalizedString(name, name)
        case .password: LocalizedString("Password", "パスワード")
        case .emailLink: LocalizedString("Email link", "メールのリンク")
        case .oneTimePassword: LocalizedString("Authenticator app", "認証アプリ")
        case .passkey: LocalizedString("Passkey", "パスキー")
        case .phone: LocalizedString("Phone number", "電話番号")
        case .other: LocalizedString("Another service", "別のサービス")
        }
    }
}
