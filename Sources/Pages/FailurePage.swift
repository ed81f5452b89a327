public import Identity

extension Page {
    /// Why a page cannot do what it is for.
    public enum Failure: Hashable, Sendable {
        case code(OOBCodeRefusal)
        case tooManyAttempts(minutes: Int)
        /// The form is not one of ours.
        case malformed
        case notFound
    }

    public static func failure(_ failure: Failure, _ frame: Frame) -> Page {
        Page(frame, failure.title, [frame.paragraph(failure.advice)])
    }
}

extension Page.Failure {
    fileprivate var title: Phrase {
        switch self {
        case .code(let refusal): refusal.title
        case .tooManyAttempts: Phrase("Too many attempts", "回数の上限に達しました")
        case .malformed: Phrase("This did not work", "処理できませんでした")
        case .notFound: Phrase("There is no such page", "ページが見つかりません")
        }
    }

    fileprivate var advice: Phrase {
        switch self {
        case .code(let refusal): refusal.advice
        case .tooManyAttempts(let minutes):
            Phrase(
                minutes == 1 ? "Wait a minute, then try again." : "Wait \(minutes) minutes, then try again.",
                "\(minutes)分ほど待ってから、もう一度お試しください。")
        case .malformed:
            Phrase("Open the link from your mail again.", "メールのリンクをもう一度開いてください。")
        case .notFound:
            Phrase("Check the address of the page, or go back to the app.", "ページのアドレスを確認するか、アプリに戻ってください。")
        }
    }
}

extension OOBCodeRefusal {
    fileprivate var title: Phrase {
        switch self {
        case .missing, .invalid, .otherEmail: Phrase("This link does not work", "このリンクは使えません")
        case .expired: Phrase("This link is too old", "リンクの有効期限が切れています")
        case .emailTaken: Phrase("This address belongs to another account", "このアドレスは別のアカウントで使われています")
        case .accountDisabled: Phrase("This account is disabled", "このアカウントは無効になっています")
        case .notAllowed: Phrase("This is not available", "この操作は利用できません")
        }
    }

    fileprivate var advice: Phrase {
        switch self {
        case .missing, .invalid, .otherEmail:
            Phrase(
                """
                It may have been used already, or not be whole. Ask for a new one in the app, and open the newest mail.
                """,
                "すでに使われたか、リンクの一部が欠けている可能性があります。アプリで再度依頼し、最新のメールを開いてください。")
        case .expired:
            Phrase(
                """
                Ask for a new one in the app. If the link was meant to undo a change to your account, it can no longer do \
                that. If you can still reset your password in the app, do so now. Otherwise contact the people who run \
                the app.
                """,
                """
                アプリで再度依頼してください。アカウントの変更を取り消すためのリンクだった場合、このリンクではもう取り消せません。\
                アプリでパスワードを再設定できる場合は、すぐに再設定してください。できない場合は、アプリの運営者にお問い合わせください。
                """)
        case .emailTaken:
            Phrase(
                "Somebody else has made an account with it by now, so nothing was changed.",
                "その後、別のアカウントがこのアドレスを使い始めたため、変更は行われませんでした。")
        case .accountDisabled:
            Phrase("Nothing was changed. Ask those who run the app.", "変更は行われませんでした。アプリの運営者にお問い合わせください。")
        case .notAllowed:
            Phrase("The app does not offer this. Nothing was changed.", "アプリがこの操作を許可していません。変更は行われませんでした。")
        }
    }
}
