internal import Identity

extension EmailTemplate {
    static func japanese(_ facts: TemplateValues) -> EmailTemplate {
        let (app, method) = (facts.app, facts.method.japanese)
        switch facts.kind {
        case .verifyEmail:
            return japanese(
                "【\(app)】メールアドレスの確認",
                "\(app)のアカウントにこのメールアドレスが登録されました。次のリンクを開いて、ご本人のアドレスであることを確認してください。",
                action: "メールアドレスを確認する", [facts.lifetime.japanese, notAsked])
        case .resetPassword:
            return japanese(
                "【\(app)】パスワードの再設定", "\(app)のアカウントのパスワード再設定が申し込まれました。次のリンクを開いて、新しいパスワードを設定してください。",
                action: "新しいパスワードを設定する", [facts.lifetime.japanese, notAsked])
        case .signIn:
            return japanese(
                "【\(app)】ログイン用リンク", "お申し込みになった端末で次のリンクを開くと、\(app)にログインできます。", action: "ログインする",
                [facts.lifetime.japanese, "このリンクがあれば誰でもあなたとしてログインできます。他の人に渡さないでください。", notAsked])
        case .changeEmail:
            return japanese(
                "【\(app)】新しいメールアドレスの確認",
                "\(app)のアカウントのメールアドレスが、このアドレスに変更されようとしています。次のリンクを開いて、ご本人のアドレスであることを確認してください。",
                action: "新しいアドレスを確認する", [facts.lifetime.japanese, notAsked])
        case .passwordChanged:
            return japanese(
                "【\(app)】パスワードが変更されました",
                ["\(app)のアカウントのパスワードが変更され、すべての端末からログアウトしました。"]
                    + (facts.removable.isEmpty ? [] : [recentlyAdded]),
                actions: facts.removable.map(\.japaneseRemoval),
                facts.removable.isEmpty
                    ? [byOther] : [removal, facts.lifetime.japaneseSinceChange, byOtherOrAdded])
        case .emailChanged:
            return japanese(
                "【\(app)】メールアドレスが変更されました",
                "\(app)のアカウントのメールアドレスが、このアドレスから別のアドレスに変更されました。お心当たりがある場合は、何もする必要はありません。お心当たりがない場合は、次のリンクを開いて元のアドレスに戻してください。",
                action: "変更を取り消す", [facts.lifetime.japaneseSinceChange, "その後、すぐに新しいパスワードを設定してください。"])
        case .identityLinked:
            return japanese(
                "【\(app)】ログイン方法が追加されました",
                "今後、\(app)のアカウントに\(method)でログインできます。お心当たりがある場合は、何もする必要はありません。お心当たりがない場合は、次のリンクを開いてください。",
                action: facts.method.japaneseRemoval, [removal, facts.lifetime.japaneseSinceChange])
        case .identityUnlinked:
            return japanese(
                "【\(app)】ログイン方法が削除されました", "今後、\(app)のアカウントに\(method)でログインすることはできません。", [byOther])
        case .accountReclaimed:
            return japanese(
                "【\(app)】アカウントが保護されました",
                "このメールアドレスが確認されないまま登録されていた\(app)のアカウントに、アドレスの持ち主であることを確認できた方がログインしました。以前のパスワードとその他のログイン方法はすべて削除されました。",
                ["お心当たりがある場合は、何もする必要はありません。お心当たりがない場合は、他の人があなたのメールを読めるおそれがあります。まずメールボックスを保護してください。"])
        case .accountDeleted:
            return japanese(
                "【\(app)】アカウントが削除されました", "\(app)のアカウントと、それに属するデータが削除されました。",
                ["お心当たりがない場合は、\(app)の運営者にご連絡ください。"])
        case .accountsMerged: return merged(facts)
        }
    }

    private static func merged(_ facts: TemplateValues) -> EmailTemplate {
        let app = facts.app
        let methods = facts.methods.map(\.japanese).joined(separator: "、")
        let advice =
            facts.hasLink
            ? [
                facts.lifetime.japaneseSinceMerge,
                "統合後のアカウントが変更されていても、ご自身のアカウントを元に戻せます。ただし、統合後のアカウントが削除された場合は元に戻せません。",
            ]
            : [
                "お心当たりがある場合は、何もする必要はありません。お心当たりがない場合は、\(app)の運営者にお問い合わせください。"
            ]
        let undo = "お心当たりがある場合は、何もする必要はありません。お心当たりがない場合は、次のリンクを開いて統合を取り消してください。"
        return japanese(
            "【\(app)】アカウントが統合されました",
            [
                "\(app)のあなたのアカウントが、別のアカウントと一つに統合されました。",
                methods.isEmpty ? nil : "統合後のアカウントのログイン方法：\(methods)",
                facts.hasLink ? undo : nil,
            ].compactMap(\.self), actions: facts.hasLink ? ["統合を取り消す"] : [], advice)
    }

    private static let notAsked = "お心当たりがない場合は、このメールを無視してください。何も変更されません。"

    private static let byOther =
        "お心当たりがある場合は、何もする必要はありません。お心当たりがない場合は、\(reset)"

    private static let byOtherOrAdded =
        "パスワードの変更と上記のログイン方法の追加がすべてご自身によるものであれば、何もする必要はありません。パスワードを変更していない場合は、\(reset)"

    private static let reset = "すぐにログイン画面からパスワードを再設定してください。他の人はすべてログアウトされます。"

    private static let recentlyAdded =
        "下記のログイン方法は過去30日以内にあなたのアカウントに追加され、現在も使えます。ご自身で追加していないものがある場合は、そのリンクを開いてください。"

    private static let removal =
        "リンクを開くと、確認のページが表示されます。確認すると、そのログイン方法と、その後に追加されたログイン方法がすべて削除され、すべての端末からログアウトします。その後に設定されたパスワードは使えなくなり、メールアドレスはこのアドレスに戻ります。"

    private static func japanese(
        _ subject: String, _ paragraph: String, action: String? = nil, _ advice: [String]
    ) -> EmailTemplate {
        japanese(subject, [paragraph], actions: [action].compactMap(\.self), advice)
    }

    private static func japanese(
        _ subject: String, _ paragraphs: [String], actions: [String], _ advice: [String]
    ) -> EmailTemplate {
        EmailTemplate(
            subject: subject, paragraphs: paragraphs, actions: actions, advice: advice,
            plainLink: "ボタンが使えない場合は、次のアドレスをブラウザーで開いてください。")
    }
}

extension SignInMethodName {
    fileprivate var japanese: String {
        switch self {
        case .named(let name): name
        case .password: "パスワード"
        case .emailLink: "メールのリンク"
        case .phone: "電話番号"
        case .other: "別のサービス"
        }
    }

    /// Label of the link that removes it.
    fileprivate var japaneseRemoval: String {
        switch self {
        case .named(let name): "\(name)によるログインを削除する"
        case .password: "パスワードを削除する"
        case .emailLink: "メールのリンクによるログインを削除する"
        case .phone: "電話番号を削除する"
        case .other: "別のサービスによるログインを削除する"
        }
    }
}

extension HumanDuration {
    fileprivate var japanese: String { "このリンクは一度だけ、お申し込みから\(inJapanese)有効です。" }

    /// The lifetime of a link in a notice, which is sent without a request.
    fileprivate var japaneseSinceChange: String { "このリンクは一度だけ、変更から\(inJapanese)有効です。" }

    fileprivate var japaneseSinceMerge: String { "このリンクは統合から\(inJapanese)、一度だけ使えます。" }

    private var inJapanese: String {
        switch self {
        case .minutes(let count): "\(count)分間"
        case .hours(let count): "\(count)時間"
        case .days(let count): "\(count)日間"
        }
    }
}
