public import Identity

extension Page {
    /// Why the gateway cannot do what the page is for.
    public enum Failure: Hashable, Sendable {
        case code(OOBCodeRefusal)
        case tooManyAttempts(minutes: Int)
        /// The request body is not a form of these pages.
        case malformed
        case notFound
    }

    public static func failure(_ failure: Failure, _ context: Context) -> Page {
        var page = Page(context, failure.title, [context.paragraph(failure.advice)])
        page.isFailure = true
        return page
    }
}

extension Page.Failure {
    fileprivate var title: LocalizedString {
        switch self {
        case .code(let refusal): refusal.title
        case .tooManyAttempts: .tooManyAttempts
        case .malformed: LocalizedString("This did not work", "処理できませんでした")
        case .notFound: LocalizedString("Page not found", "ページが見つかりません")
        }
    }

    fileprivate var advice: LocalizedString {
        switch self {
        case .code(let refusal): refusal.advice
        case .tooManyAttempts(let minutes): .retryAdvice(afterMinutes: minutes)
        case .malformed:
            LocalizedString("Open the link in your email again.", "メールのリンクをもう一度開いてください。")
        case .notFound:
            LocalizedString("Check the address of the page, or go back to the app.", "ページのアドレスをご確認いただくか、アプリにお戻りください。")
        }
    }
}

extension OOBCodeRefusal {
    fileprivate var title: LocalizedString {
        switch self {
        case .missing, .invalid, .otherEmail: LocalizedString("This link does not work", "このリンクは使えません")
        case .expired: LocalizedString("This link has expired", "リンクの有効期限が切れています")
        case .emailTaken: LocalizedString("This address belongs to another account", "このアドレスは別のアカウントで使われています")
        case .accountDisabled: LocalizedString("This account is disabled", "このアカウントは無効になっています")
        case .notAllowed: LocalizedString("This is not available", "この操作は利用できません")
        }
    }

    fileprivate var advice: LocalizedString {
        switch self {
        case .missing, .invalid, .otherEmail:
            LocalizedString(
                """
                The link may have been used already, or a part of it may be missing. Request a new link in the app, and open \
                the newest email.
                """,
                "すでに使われたか、リンクの一部が欠けている可能性があります。アプリでもう一度お手続きのうえ、最新のメールを開いてください。")
        case .expired:
            LocalizedString(
                """
                Request a new link in the app. If this link was to undo a change to your account, it no longer works. \
                If you can still reset your password in the app, do so now. Otherwise contact the people who run the \
                app.
                """,
                """
                アプリでもう一度お手続きください。アカウントの変更を取り消すためのリンクだった場合、このリンクではもう取り消せません。\
                アプリでパスワードを再設定できる場合は、すぐに再設定してください。できない場合は、アプリの運営者にお問い合わせください。
                """)
        case .emailTaken:
            LocalizedString(
                "Another account now uses this address. Nothing was changed.",
                "その後、別のアカウントがこのアドレスを使い始めました。変更は行われませんでした。")
        case .accountDisabled:
            LocalizedString(
                "Nothing was changed. Please contact the people who run the app.", "変更は行われませんでした。アプリの運営者にお問い合わせください。")
        case .notAllowed:
            LocalizedString("The app does not allow this. Nothing was changed.", "アプリがこの操作を許可していません。変更は行われませんでした。")
        }
    }
}
