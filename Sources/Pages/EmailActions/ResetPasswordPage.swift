public import Identity

/// What a project asks of a new password, for people and for what generates passwords.
public struct PasswordRules: Sendable {
    let minimumLength: Int
    let requirements: [PasswordRequirement]

    public init(_ policy: Policy) {
        minimumLength = policy.minimumPasswordLength
        let classes: [(Bool, PasswordRequirement)] = [
            (policy.requiresLowercase, .lowercase), (policy.requiresUppercase, .uppercase),
            (policy.requiresDigit, .digit), (policy.requiresSymbol, .symbol),
        ]
        requirements = [.minimumLength(policy.minimumPasswordLength)] + classes.filter(\.0).map(\.1)
    }

    /// As password managers read it (Apple's Password AutoFill rules).
    var attribute: String {
        (["minlength: \(minimumLength);"] + requirements.compactMap(\.rule)).joined(separator: " ")
    }
}

extension Page {
    /// What was done that this page follows.
    public enum Remedy: Sendable {
        case recovered(EmailAddress)
        case removed(SignInMethodName)
        case undone
    }

    /// - Parameters:
    ///   - missing: what the password lacks that was sent before; nothing where none was sent yet.
    ///   - identities: what the owner may remove with the reset.
    public static func resetPassword(
        of email: EmailAddress, _ rules: PasswordRules, missing: [PasswordRequirement] = [],
        removing identities: [ListedIdentity],
        after remedy: Remedy? = nil, _ form: CodeForm, _ frame: Frame
    ) -> Page {
        let language = frame.language
        let problem = missing.map { HTML(.li, text: $0.phrase.in(language)) }
        let alert = HTML(
            .div, [.id(.problem), .role("alert"), .classed(.problem)],
            [
                frame.paragraph(LocalizedString("Choose another password. It needs:", "別のパスワードを入力してください。必要な条件：")),
                HTML(.ul, problem),
            ])
        let hints = rules.requirements.map { HTML(.li, text: $0.phrase.in(language)) }
        let password: [Attribute] = [
            .id(.password), .name(CodeForm.Field.newPassword.rawValue), .type("password"),
            .autocomplete("new-password"), .required, .minlength(rules.minimumLength), .passwordRules(rules.attribute),
            .describedBy(missing.isEmpty ? [.passwordRules] : [.problem, .passwordRules]),
        ]
        return Page(
            frame, LocalizedString("Set a new password", "新しいパスワードの設定"),
            (remedy.map { [frame.done($0)] } ?? []) + (missing.isEmpty ? [] : [alert]) + [
                form.form(
                    in: frame,
                    [
                        HTML(.label, [.for(.address)], text: LocalizedString.address.in(language)),
                        .void(
                            .input,
                            [
                                .id(.address), .name(CodeForm.Field.username.rawValue), .type("email"),
                                .autocomplete("username"), .readonly, .value(email.rawValue),
                            ]),
                        HTML(.label, [.for(.password)], text: LocalizedString("New password", "新しいパスワード").in(language)),
                        .void(.input, password + (missing.isEmpty ? [] : [.invalid, .autofocus])),
                        HTML(.ul, [.id(.passwordRules), .classed(.hint)], hints),
                    ]
                        + frame.choice(
                            of: identities,
                            LocalizedString("Other ways to sign in to this account", "このアカウントのほかのログイン方法"),
                            LocalizedString(
                                "Tick those that you did not add yourself. They are removed when you save the password.",
                                "追加にお心当たりがないものを選んでください。パスワードの保存と同時に削除されます。"))
                        + [frame.button(LocalizedString("Save the password", "パスワードを保存する"))]),
                frame.hint(
                    LocalizedString(
                        "Every device will have to sign in again, with the new password.",
                        "すべての端末で、新しいパスワードによる再ログインが必要になります。")),
            ])
    }

    public static func passwordReset(of email: EmailAddress, continuing url: ContinueURL?, _ frame: Frame) -> Page {
        Page(
            frame, LocalizedString("Your password is changed", "パスワードを変更しました"),
            [
                frame.facts([(.address, .text(email.rawValue))]),
                frame.paragraph(LocalizedString("You can sign in with it now.", "新しいパスワードでログインできます。")),
            ] + frame.wayBackOrAdvice(to: url))
    }
}

extension Page.Frame {
    fileprivate func done(_ remedy: Page.Remedy) -> HTML {
        let phrase: LocalizedString =
            switch remedy {
            case .recovered(let email):
                LocalizedString(
                    "You have your earlier address \(email.rawValue) back, and every device is signed out.",
                    "以前のアドレス\(email.rawValue)に戻し、すべての端末からログアウトさせました。")
            case .removed(let name): .removed(name)
            case .undone:
                LocalizedString(
                    "You have your account back, and every device is signed out.",
                    "アカウントを元に戻し、すべての端末からログアウトさせました。")
            }
        let next = LocalizedString("Now set a new password.", "続けて新しいパスワードを設定してください。")
        let text = [phrase, next].map { $0.in(language) }.joined(separator: language == .english ? " " : "")
        return HTML(.p, [.role("status"), .classed(.done)], text: text)
    }
}

extension PasswordRequirement {
    var phrase: LocalizedString {
        switch self {
        case .minimumLength(let length): LocalizedString("At least \(length) characters", "\(length)文字以上")
        case .maximumLength(let length): LocalizedString("At most \(length) characters", "\(length)文字以内")
        case .lowercase: LocalizedString("A lower case letter", "小文字の英字を含む")
        case .uppercase: LocalizedString("An upper case letter", "大文字の英字を含む")
        case .digit: LocalizedString("A digit", "数字を含む")
        case .symbol: LocalizedString("A symbol, such as ! or #", "記号（!や#など）を含む")
        case .notBreached: LocalizedString("To be unknown from data breaches", "過去に漏えいしていないこと")
        }
    }

    fileprivate var rule: String? {
        switch self {
        case .minimumLength, .maximumLength, .notBreached: nil
        case .lowercase: "required: lower;"
        case .uppercase: "required: upper;"
        case .digit: "required: digit;"
        case .symbol: "required: special;"
        }
    }
}
