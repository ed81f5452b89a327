internal import HTML
public import Identity

extension Page {
    /// Asks whether to remove a sign-in method that was added to an account.
    ///
    /// - Parameters:
    ///   - userAgent: of the device that added the method, if it is known and the method is still linked.
    ///   - setsPassword: whether the page announces that the next page sets a new password.
    public static func removeSignInMethod(
        _ method: AddedSignInMethod, named name: SignInMethodName, userAgent: String?, of email: EmailAddress,
        setsPassword: Bool, _ form: CodeForm, _ context: Context
    ) -> Page {
        let app = context.app(in: context.language)
        return removal(
            LocalizedString("Remove a way to sign in", "ログイン方法の削除"),
            LocalizedString(
                "This way to sign in was added to your account for \(app). If you did not add it, remove it.",
                "\(app)のアカウントに次のログイン方法が追加されました。お心当たりがない場合は、削除してください。"),
            details: context.details(of: method, name, userAgent: userAgent),
            consequences: [
                LocalizedString(
                    "This way to sign in is removed, and so are all that were added after it.",
                    "このログイン方法と、その後に追加されたログイン方法がすべて削除されます。")
            ], of: email, setsPassword: setsPassword,
            note: LocalizedString("If you added it yourself, close this page.", "ご自身で追加された場合は、このページを閉じてください。"),
            form, context)
    }

    /// Asks whether to remove what was added to an account.
    ///
    /// - Parameters:
    ///   - consequences: those of this removal; those of every removal follow them.
    ///   - email: the address to which the account goes back.
    ///   - setsPassword: whether the page announces that the next page sets a new password.
    ///   - note: for the user who added it.
    static func removal(
        _ title: LocalizedString, _ introduction: LocalizedString, details: Markup, consequences: [LocalizedString],
        of email: EmailAddress, setsPassword: Bool, note: LocalizedString, _ form: CodeForm, _ context: Context
    ) -> Page {
        let ofEveryRemoval = [
            LocalizedString(
                "If the password was set later, it stops working.", "その後に設定されたパスワードは使えなくなります。"),
            LocalizedString(
                "If the email address of the account was changed later, it goes back to \(email.rawValue).",
                "その後にメールアドレスが変更されている場合は、\(email.rawValue)に戻ります。"),
            .signsOutEverywhere,
        ]
        return Page(
            context, title,
            [
                context.paragraph(introduction), details,
                context.paragraph(LocalizedString("If you remove it:", "削除すると、次のようになります。")),
                context.list(consequences + ofEveryRemoval + (setsPassword ? [.setsPasswordNext] : [])),
                form.markup(in: context, [context.button(LocalizedString("Remove it", "削除する"))]),
                context.note(note),
            ])
    }

    /// Announces that a sign-in method was removed. Shown if the user cannot set a new password next.
    ///
    /// - Parameter takenEmail: the address that the account would have got back; `nil` unless another account has it
    ///   now.
    public static func signInMethodRemoved(_ name: SignInMethodName, takenEmail: EmailAddress?, _ context: Context)
        -> Page
    {
        let app = context.app(in: context.language)
        let taken = takenEmail.map { email in
            [
                context.details([(.address, .text(email.rawValue))]),
                context.paragraph(
                    LocalizedString(
                        """
                        Another account now uses this address, so your account has no email address. If you cannot sign \
                        in, contact the people who run \(app).
                        """,
                        """
                        このアドレスは現在別のアカウントで使われているため、あなたのアカウントにはメールアドレスがありません。\
                        ログインできない場合は、\(app)の運営者にお問い合わせください。
                        """)),
            ]
        }
        return Page(
            context, LocalizedString("Removed", "削除しました"),
            [context.paragraph(.removed(name))] + (taken ?? context.continueLinkOrAdvice(to: nil)))
    }
}

extension LocalizedString {
    /// States which sign-in methods were removed.
    static func removed(_ name: SignInMethodName) -> LocalizedString {
        LocalizedString(
            """
            Removed: \(name.label.english), and all ways to sign in that were added after it. You were signed out on every \
            device.
            """,
            "\(name.label.japanese)と、その後に追加されたログイン方法をすべて削除し、すべての端末からログアウトしました。")
    }
}
