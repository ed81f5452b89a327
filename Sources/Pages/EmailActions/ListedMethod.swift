internal import HTML
public import Identity

/// A sign-in method that a page lists for the owner of the account.
public struct ListedMethod: Sendable {
    /// The name of the checkbox.
    let field: String
    let method: SignInMethodName
    /// The name of a passkey, which its user has chosen, or the last digits of a telephone number.
    let name: String?
    public let addedAt: Instant?
    let userAgent: String?

    public init(_ identity: LinkedIdentity, in realm: Realm) {
        field = CodeForm.removalPrefix + identity.provider.rawValue
        method = SignInMethodName(identity.provider, in: realm)
        name = nil
        addedAt = identity.linkedAt
        userAgent = identity.linkedDevice
    }

    public init(_ passkey: Passkey) {
        field = CodeForm.passkeyRemovalPrefix + passkey.id.rawValue
        method = .passkey
        name = Self.shortened(passkey.name)
        addedAt = passkey.addedAt
        userAgent = nil
    }

    public init(_ number: PhoneNumber, addedAt: Instant?) {
        field = CodeForm.removalPrefix + ProviderID.phone.rawValue
        method = .phone
        name = number.masked
        self.addedAt = addedAt
        userAgent = nil
    }

    /// In Unicode scalars.
    private static let nameLimit = 40

    /// The beginning of the name, because a user could write a message to the owner of the mailbox into it.
    private static func shortened(_ name: String) -> String {
        let scalars = name.unicodeScalars.prefix(nameLimit)
        return scalars.endIndex == name.endIndex ? name : String(String.UnicodeScalarView(scalars)) + "…"
    }
}

extension CodeForm {
    /// Prefix of the field names of the checkboxes for identities and the telephone number. The provider's ID follows.
    public static let removalPrefix = "remove."
    /// Prefix of the field names of the checkboxes for passkeys. The credential ID follows.
    public static let passkeyRemovalPrefix = "removePasskey."
}

extension Page.Context {
    /// One unchecked checkbox for each method; empty if there are no methods.
    func checkboxes(for methods: [ListedMethod], _ title: LocalizedString, _ explanation: LocalizedString)
        -> [Markup]
    {
        guard !methods.isEmpty else { return [] }
        let boxes = methods.enumerated().map { checkbox($0.element, number: $0.offset) }
        return [
            Markup(.fieldset, [Markup(.legend, text: title.in(language)), paragraph(explanation)] + boxes)
        ]
    }

    /// The checkboxes of a page that confirms an address.
    func checkboxes(disowning methods: [ListedMethod]) -> [Markup] {
        checkboxes(
            for: methods,
            LocalizedString("Did you add these ways to sign in?", "次のログイン方法はご自身で追加しましたか"),
            LocalizedString(
                """
                Select those that you did not add yourself. If you select any, we remove them, the password, all passkeys \
                and the phone number when you confirm, and sign you out on every device.
                """,
                """
                ご自身で追加していないものを選んでください。\
                1つでも選んで確認すると、選んだものに加えて、パスワード、すべてのパスキー、電話番号も削除し、すべての端末からログアウトします。
                """))
    }

    /// The ways to sign in to the account of a page; empty if the account has none.
    func detail(of methods: [SignInMethodName]) -> [(name: LocalizedString, value: Markup)] {
        guard !methods.isEmpty else { return [] }
        let list = methods.map { $0.label.in(language) }.joined(separator: LocalizedString(", ", "、").in(language))
        return [(LocalizedString("Ways to sign in", "ログイン方法"), .text(list))]
    }

    private func checkbox(_ listed: ListedMethod, number: Int) -> Markup {
        let details = Markup(
            .div, [.id(.removalDetails(number)), .classes(.note)], additionDetails(of: listed).map { Markup(.div, $0) })
        return Markup(
            .div, [.classes(.choice)],
            [
                .void(
                    .input,
                    [
                        .id(.removal(number)), .name(listed.field), .type("checkbox"), .value("true"),
                        .describedBy([.removalDetails(number)]),
                    ]),
                Markup(.label, [.for(.removal(number))], text: listed.method.label.in(language)),
                details,
            ])
    }

    private func additionDetails(of listed: ListedMethod) -> [[Markup]] {
        let separator = LocalizedString(": ", "：").in(language)
        let name = listed.name.map {
            [Markup.text(LocalizedString("Name", "名前").in(language) + separator), .isolated($0)]
        }
        let added = listed.addedAt.map {
            [Markup.text(LocalizedString.added.in(language) + separator), .time($0, in: language)]
        }
        let device = listed.userAgent.map {
            [Markup.text(LocalizedString.device.in(language) + separator + shownDevice($0))]
        }
        return [name, added, device].compactMap(\.self)
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
