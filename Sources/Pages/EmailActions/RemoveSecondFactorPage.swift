internal import HTML
public import Identity

extension Page {
    /// Asks whether to remove a second factor that was added to an account.
    ///
    /// - Parameters:
    ///   - isPhone: whether the factor is a telephone number; otherwise it is an authenticator app.
    ///   - setsPassword: whether the page announces that the next page sets a new password.
    public static func removeSecondFactor(
        addedAt: Instant, isPhone: Bool, of email: EmailAddress, setsPassword: Bool, _ form: CodeForm,
        _ context: Context
    ) -> Page {
        let app = context.app(in: context.language)
        let added = isPhone ? "A phone number" : "An authenticator app"
        let name = isPhone ? "電話番号" : "認証アプリ"
        return removal(
            LocalizedString(isPhone ? "Remove a phone number" : "Remove an authenticator app", "\(name)の削除"),
            LocalizedString(
                """
                \(added) was added to your account for \(app) as a second step for signing in. If you did not \
                add it, remove it.
                """,
                "\(app)のアカウントに、ログイン時の追加の確認として\(name)が登録されました。お心当たりがない場合は、削除してください。"),
            details: context.details([(.added, .time(addedAt, in: context.language))]),
            consequences: [
                LocalizedString(
                    isPhone
                        ? "Signing in no longer asks for a code that is sent to this phone number."
                        : "Signing in no longer asks for a code from this authenticator app.",
                    "ログイン時に、この\(name)のコードが不要になります。"),
                LocalizedString(
                    "All ways to sign in that were added after it are removed, and so are recovery codes.",
                    "その後に追加されたログイン方法とリカバリーコードがすべて削除されます。"),
            ], of: email, setsPassword: setsPassword,
            note: LocalizedString("If you added it yourself, close this page.", "ご自身で登録された場合は、このページを閉じてください。"),
            form, context)
    }
}
