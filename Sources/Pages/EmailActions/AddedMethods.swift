public import Identity

/// An identity of an account, as a page lists it for its owner.
public struct ListedIdentity: Sendable {
    let identity: LinkedIdentity
    let name: SignInMethodName

    public init(_ identity: LinkedIdentity, in project: Project) {
        self.identity = identity
        name = SignInMethodName(identity.provider, in: project)
    }
}

extension CodeForm {
    /// The name of the field that a checkbox for an identity has begins with this; the provider follows.
    public static let removalPrefix = "remove."
}

extension Page.Frame {
    /// Checkboxes for identities, none of them checked. Nothing where there are none.
    func choice(of identities: [ListedIdentity], _ question: LocalizedString, _ explanation: LocalizedString) -> [HTML]
    {
        guard !identities.isEmpty else { return [] }
        let boxes = identities.enumerated().map { box($0.element, number: $0.offset) }
        return [
            HTML(.fieldset, [HTML(.legend, text: question.in(language)), paragraph(explanation)] + boxes)
        ]
    }

    private func box(_ listed: ListedIdentity, number: Int) -> HTML {
        let details = HTML(
            .div, [.id(.removalDetails(number)), .classed(.hint)], details(of: listed.identity).map { HTML(.div, $0) })
        return HTML(
            .div, [.classed(.choice)],
            [
                .void(
                    .input,
                    [
                        .id(.removal(number)), .name(CodeForm.removalPrefix + listed.identity.provider.rawValue),
                        .type("checkbox"), .value("true"), .describedBy([.removalDetails(number)]),
                    ]),
                HTML(.label, [.for(.removal(number))], text: listed.name.phrase.in(language)),
                details,
            ])
    }

    private func details(of identity: LinkedIdentity) -> [[HTML]] {
        let added = identity.linkedAt.map {
            [HTML.text(LocalizedString.added.in(language) + ": "), .time($0, in: language)]
        }
        let device = identity.linkedDevice.map { [HTML.text(LocalizedString.device.in(language) + ": " + $0)] }
        return [added, device].compactMap(\.self)
    }

    /// Facts about a sign-in method.
    func facts(of method: AddedSignInMethod, _ name: SignInMethodName, device: String?) -> HTML {
        let device = device.map { [(name: LocalizedString.device, value: HTML.text($0))] } ?? []
        return facts(
            [
                (LocalizedString("Way to sign in", "ログイン方法"), .text(name.phrase.in(language))),
                (.added, .time(method.addedAt, in: language)),
            ] + device)
    }
}

extension LocalizedString {
    static let added = LocalizedString("Added", "追加日時")
    static let device = LocalizedString("Browser or app", "ブラウザーまたはアプリ")
}

extension SignInMethodName {
    var phrase: LocalizedString {
        switch self {
        case .named(let name): LocalizedString(name, name)
        case .password: LocalizedString("Password", "パスワード")
        case .emailLink: LocalizedString("Link sent by email", "メールのリンク")
        case .phone: LocalizedString("Phone number", "電話番号")
        case .other: LocalizedString("Another service", "別のサービス")
        }
    }
}
