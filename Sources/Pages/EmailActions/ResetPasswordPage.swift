internal import HTML
public import Identity

/// A project's requirements for a new password, in words and for password managers.
public struct PasswordRules: Sendable {
    let minimumLength: Int
    let requirements: [PasswordRequirement]

    public init(_ policy: Policy) {
        let policy = policy.passwordPolicy.effective
        minimumLength = policy.minimumLength
        let classes: [(Bool, PasswordRequirement)] = [
            (policy.requiresLowercase, .lowercase), (policy.requiresUppercase, .uppercase),
            (policy.requiresDigit, .digit), (policy.requiresSymbol, .symbol),
        ]
        requirements = [.minimumLength(policy.minimumLength)] + classes.filter(\.0).map(\.1)
    }

    /// Value of the attribute `passwordrules` (Apple's Password AutoFill rules).
    var attribute: String {
        (["minlength: \(minimumLength);"] + requirements.compactMap(\.rule)).joined(separator: " ")
    }
}

extension Page {
    /// What an emailed link has just done, after which the user sets a new password.
    public enum Remedy: Sendable {
        /// The address was restored.
        case recovered(EmailAddress)
        /// The sign-in method was removed, with all that were added after it.
        case removed(SignInMethodName)
        /// A merge was undone.
        case undone
        /// The address was confirmed, and ways to sign in that the user did not add were removed.
        case confirmed(EmailAddress)
        /// The user has a new account with the address, because the account that had it may not be theirs.
        case accountCreated(EmailAddress)
    }

    /// Asks for a new password.
    ///
    /// - Parameters:
    ///   - missing: requirements that the submitted password does not meet; empty if no password was submitted.
    ///   - removable: sign-in methods that the owner may remove with the reset.
    ///   - choice: whether the user gets a new account.
    ///   - remedy: what the link has just done; `nil` if the user opened the link of a password reset.
    public static func resetPassword(
        of email: EmailAddress, _ rules: PasswordRules, missing: [PasswordRequirement] = [],
        removable: [ListedMethod], _ choice: NewAccountChoice, after remedy: Remedy? = nil,
        _ form: CodeForm, _ context: Context
    ) -> Page {
        let language = context.language
        let alert = Markup(
            .div, [.id(.problem), .role("alert"), .classes(.problem)],
            [
                context.paragraph(
                    LocalizedString(
                        "This password cannot be used. Choose another one. Requirements:",
                        "このパスワードは使えません。次の条件を満たすパスワードを入力してください。")),
                context.list(missing.map(\.label)),
            ])
        let requirements = rules.requirements.map { Markup(.li, text: $0.label.in(language)) }
        let password: [Attribute] = [
            .id(.password), .name(CodeForm.Field.newPassword.rawValue), .type("password"),
            .autocomplete("new-password"), .required, .minlength(rules.minimumLength), .passwordRules(rules.attribute),
            .describedBy(missing.isEmpty ? [.passwordRules] : [.problem, .passwordRules]),
        ]
        return Page(
            context, LocalizedString("Set a new password", "新しいパスワードの設定"),
            (remedy.map { [context.notice(of: $0)] } ?? []) + (missing.isEmpty ? [] : [alert]) + [
                form.markup(
                    in: context,
                    [
                        Markup(.label, [.for(.address)], text: LocalizedString.address.in(language)),
                        .void(
                            .input,
                            [
                                .id(.address), .name(CodeForm.Field.username.rawValue), .type("email"),
                                .autocomplete("username"), .readonly, .value(email.rawValue),
                            ]),
                        Markup(
                            .label, [.for(.password)], text: LocalizedString("New password", "新しいパスワード").in(language)),
                        .void(.input, password + (missing.isEmpty ? [] : [.invalid, .autofocus])),
                        Markup(.ul, [.id(.passwordRules), .classes(.note)], requirements),
                    ]
                        + context.checkboxes(
                            for: removable,
                            LocalizedString("Other ways to sign in to this account", "このアカウントのほかのログイン方法"),
                            LocalizedString(
                                "Select those that you did not add yourself. They are removed when you save the password.",
                                "ご自身で追加していないものを選んでください。パスワードの保存と同時に削除します。"))
                        + context.newAccountCheckbox(choice)
                        + [context.button(LocalizedString("Save the password", "パスワードを保存する"))]),
                context.note(
                    LocalizedString(
                        "When you save the password, you are signed out on every device.",
                        "パスワードを保存すると、すべての端末からログアウトします。")),
            ])
    }

    public static func passwordReset(of email: EmailAddress, continuing url: ContinueURL?, _ context: Context) -> Page {
        Page(
            context, LocalizedString("Your password has been changed", "パスワードを変更しました"),
            [
                context.details([(.address, .text(email.rawValue))]),
                context.paragraph(
                    LocalizedString("You can now sign in with the new password.", "新しいパスワードでログインできます。")),
            ] + context.continueLinkOrAdvice(to: url))
    }
}

extension Page.Context {
    fileprivate func notice(of remedy: Page.Remedy) -> Markup {
        let outcome: LocalizedString =
            switch remedy {
            case .recovered(let email):
                LocalizedString(
                    "Your earlier address \(email.rawValue) is restored. You were signed out on every device.",
                    "メールアドレスを\(email.rawValue)に戻し、すべての端末からログアウトしました。")
            case .removed(let name): .removed(name)
            case .confirmed(let email):
                LocalizedString(
                    """
                    Your address \(email.rawValue) is confirmed. We removed the ways to sign in that you selected, the \
                    password, the passkeys and the phone number. You were signed out on every device.
                    """,
                    "メールアドレス\(email.rawValue)を確認しました。選んだログイン方法、パスワード、パスキー、電話番号を削除し、すべての端末からログアウトしました。")
            case .accountCreated(let email):
                LocalizedString(
                    "You have a new account with your address \(email.rawValue).",
                    "あなたのアドレス\(email.rawValue)で新しいアカウントを作成しました。")
            case .undone:
                LocalizedString(
                    "You have your account back. You were signed out on every device.",
                    "アカウントを元に戻し、すべての端末からログアウトしました。")
            }
        let next = LocalizedString("Now set a new password.", "続けて、新しいパスワードを設定してください。")
        let text = [outcome, next].map { $0.in(language) }.joined(separator: language == .english ? " " : "")
        return Markup(.p, [.role("status"), .classes(.done)], text: text)
    }
}

extension PasswordRequirement {
    var label: LocalizedString {
        switch self {
        case .minimumLength(let length): LocalizedString("At least \(length) characters", "\(length)文字以上")
        case .maximumLength(let length): LocalizedString("At most \(length) characters", "\(length)文字以内")
        case .lowercase: LocalizedString("A lowercase letter", "小文字の英字を含む")
        case .uppercase: LocalizedString("An uppercase letter", "大文字の英字を含む")
        case .digit: LocalizedString("A digit", "数字を含む")
        case .symbol: LocalizedString("A symbol, such as ! or #", "記号（!や#など）を含む")
        case .notBreached: LocalizedString("Not known from a data leak", "過去に漏えいしたパスワードではない")
        }
    }

    /// The rule for the attribute `passwordrules`; `nil` if the attribute has no rule for the requirement.
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
