internal import HTML
public import Identity

extension Page {
    /// Asks whether to remove a second factor that was added to an account.
    ///
    /// - Parameter setsPassword: whether the page announces that the next page sets a new password.
    public static func removeSecondFactor(
        addedAt: Instant, of email: EmailAddress, setsPassword: Bool, _ form: CodeForm, _ context: Context
    ) -> Page {
        let app = context.app(in: context.language)
        return removal(
            LocalizedString("Remove an authenticator app", "認証アプリの削除"),
            LocalizedString(
                """
                An authenticator app was added to your account for \(app) as a second step for signing in. If you did not \
                add it, remove it.
                """,
                "\(app)のアカウントに、ログイン時の追加の確認として認証アプリが登録されました。お心当たりがない場合は、削除してください。"),
            details: context.details([(.added, .time(addedAt, in: context.language))]),
            consequences: [
                LocalizedString(
                    "Signing in no longer asks for a code of this authenticator app.", "ログイン時に、この認証アプリのコードが不要になります。"),
                LocalizedString(
                    "All ways to sign in that were added after it are removed, and so are recovery codes.",
                    "その後に追加されたログイン方法とリカバリーコードがすべて削除されます。"),
            ], of: email, setsPassword: setsPassword,
            note: LocalizedString("If you added it yourself, close this page.", "ご自身で登録された場合は、このページを閉じてください。"),
            form, context)
    }
}
