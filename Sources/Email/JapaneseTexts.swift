internal import Identity

extension EmailTexts {
    static func japanese(_ values: EmailTextValues) -> EmailTexts {
        let (app, method) = (values.projectName, values.method.japanese)
        let source = values.method == .phone ? "電話番号宛て" : "認証アプリ"
        switch values.kind {
        case .verifyEmail:
            return japanese(
                "【\(app)】メールアドレスの確認",
                "\(app)のアカウントに、このメールアドレスが登録されました。ご本人のアドレスであることを確認するため、次のリンクを開いてください。",
                linkLabel: "メールアドレスを確認する", [values.lifetime.japaneseSinceRequest, notRequested])
        case .resetPassword:
            return japanese(
                "【\(app)】パスワードの再設定",
                "\(app)のアカウントについて、パスワード再設定のお申し込みを受け付けました。次のリンクを開いて、新しいパスワードを設定してください。",
                linkLabel: "新しいパスワードを設定する", [values.lifetime.japaneseSinceRequest, notRequested])
        case .signIn:
            return japanese(
                "【\(app)】ログイン用リンク", "ログインをお申し込みになった端末で次のリンクを開くと、\(app)にログインできます。", linkLabel: "ログインする",
                [
                    values.lifetime.japaneseSinceRequest, "このリンクがあれば、誰でもあなたとしてログインできます。ほかの人に教えないでください。",
                    notRequested,
                ])
        case .changeEmail:
            return japanese(
                "【\(app)】新しいメールアドレスの確認",
                "\(app)のアカウントについて、メールアドレスをこのアドレスに変更するお申し込みを受け付けました。ご本人のアドレスであることを確認するため、次のリンクを開いてください。",
                linkLabel: "新しいアドレスを確認する", [values.lifetime.japaneseSinceRequest, notRequested])
        case .passwordChanged: return passwordChanged(values)
        case .emailChanged where !values.hasLink:
            return japanese(
                "【\(app)】メールアドレスが変更されました",
                "\(app)のアカウントのメールアドレスが変更され、このアドレスではなくなりました。このアドレスは確認されていませんでした。",
                [ignoreOrContact(app)])
        case .emailChanged:
            return japanese(
                "【\(app)】メールアドレスが変更されました",
                "\(app)のアカウントのメールアドレスが変更され、このアドレスではなくなりました。\(noAction)お心当たりがない場合は、次のリンクを開いて、このアドレスに戻してください。",
                linkLabel: "このアドレスに戻す", [values.lifetime.japaneseSinceChange, "その後、すぐに新しいパスワードを設定してください。"])
        case .relayAddressChanged:
            return japanese(
                "【\(app)】メールアドレスが変更されました",
                "Appleから\(app)に、あなたへの連絡先として別のメールアドレスが通知されました。今後、\(app)のアカウントに関するメールはそのアドレスに届きます。Appleでのログイン方法は変わりません。",
                ["Apple Accountの設定でご自身がアドレスを変更された場合は、何もする必要はありません。お心当たりがない場合は、Apple Accountにほかの人がログインしていないか確認してください。"])
        case .identityLinked where !values.hasLink:
            return japanese(
                "【\(app)】ログイン方法が追加されました",
                "このメールアドレスが登録されている\(app)のアカウントに、\(method)でログインできるようになりました。このアドレスはまだ確認されていません。",
                [unconfirmedAddress])
        case .identityLinked:
            return japanese(
                "【\(app)】ログイン方法が追加されました",
                "\(app)のアカウントに、\(method)でログインできるようになりました。\(noAction)お心当たりがない場合は、次のリンクを開いてください。",
                linkLabel: values.method.japaneseRemovalLabel,
                [removalExplanation, values.lifetime.japaneseSinceChange])
        case .identityUnlinked:
            return japanese(
                "【\(app)】ログイン方法が削除されました", "\(app)のアカウントに、\(method)ではログインできなくなりました。", [ignoreOrReset])
        case .factorAdded where !values.hasLink:
            return japanese(
                "【\(app)】ログイン時の追加の確認が設定されました",
                "このメールアドレスが登録されている\(app)のアカウントでは、ログインのたびに\(source)のコードが必要になりました。このアドレスはまだ確認されていません。",
                [unconfirmedAddress])
        case .factorAdded:
            return japanese(
                "【\(app)】ログイン時の追加の確認が設定されました",
                "\(app)のアカウントでは、ログインのたびに\(source)のコードが必要になりました。\(noAction)お心当たりがない場合は、次のリンクを開いてください。",
                linkLabel: values.method.japaneseRemovalLabel,
                [
                    "リンクを開くと、確認のページが表示されます。そこで確認すると、\(values.method.japanese)と、その後に追加されたものをすべて削除し、すべての端末からログアウトします。続けて、新しいパスワードを設定できます。",
                    values.lifetime.japaneseSinceChange,
                ])
        case .factorRemoved:
            return japanese(
                "【\(app)】ログイン時の追加の確認が解除されました", "\(app)のアカウントでは、ログイン時の追加の確認が不要になりました。",
                [ignoreOrReset])
        case .factorsReset:
            return japanese(
                "【\(app)】ログイン時の追加の確認がリセットされました",
                "\(app)の運営者が、あなたのアカウントの認証アプリを削除または変更し、リカバリーコードを削除しました。",
                ["お心当たりがない場合は、\(app)の運営者にお問い合わせください。"])
        case .recoveryCodeUsed:
            return japanese(
                "【\(app)】リカバリーコードが使われました",
                "認証アプリの代わりにリカバリーコードを使って、\(app)のアカウントにログインが行われました。使われたコードは無効になりました。",
                [ignoreOrReset])
        case .recoveryCodesRenewed:
            return japanese(
                "【\(app)】新しいリカバリーコードが作成されました", "\(app)のアカウントのリカバリーコードが新しく作成されました。以前のコードは使えません。",
                [ignoreOrReset])
        case .manyWrongCodes:
            return japanese(
                "【\(app)】誤ったコードが何度も入力されました",
                "あなたのパスワードなどのログイン方法を知っている人が、\(app)のアカウントで、認証アプリの誤ったコードを何度も入力しました。誤ったコードによるログインはありません。今後、最近ログインしていない場所からは、1日に数回しかコードを入力できません。",
                ["お心当たりがない場合は、新しいパスワードを設定してください。"])
        case .accountExported:
            return japanese(
                "【\(app)】アカウントのデータがダウンロードされました", "\(app)のアカウントのデータの写しがダウンロードされました。",
                [
                    "ご自身でダウンロードされた場合は、何もする必要はありません。お心当たりがない場合は、他人がログインできる状態になっています。新しいパスワードを設定し、すべての端末からログアウトしてください。"
                ])
        case .accountReclaimed:
            return japanese(
                "【\(app)】アカウントが保護されました",
                "\(app)に、このメールアドレスが確認されないまま登録されていたアカウントがありました。このたび、アドレスの持ち主であることを確認できた方がログインしたため、アカウントはその方のものになりました。以前のパスワードと、そのほかの以前からのログイン方法は、すべて削除しました。",
                ["ご自身でログインされた場合は、何もする必要はありません。お心当たりがない場合は、ほかの人があなたのメールを読めるおそれがあります。まず、メールボックスをほかの人が開けないようにしてください。"])
        case .accountReplaced:
            return japanese(
                "【\(app)】新しいアカウントを作成しました",
                "このメールアドレスがあなたのものであることを確認しました。このアドレスが登録されていた\(app)のアカウントは、以前に別のアドレスを使っていた方のもので、その方が今も取り戻せる状態にあります。そのため、あなたのアドレスで新しいアカウントを作成し、もとのアカウントからこのアドレスを削除しました。",
                [
                    "もとのアカウントもご自身のものである場合は、以前のアドレスに届いたメールのリンクを開くと、そのアカウントを取り戻せます。",
                    "お心当たりがない場合は、ほかの人があなたのメールを読めるおそれがあります。まず、メールボックスをほかの人が開けないようにしてください。",
                ])
        case .accountDeleted:
            return japanese(
                "【\(app)】アカウントが削除されました", "\(app)のアカウントが削除されました。今後、このアカウントにログインすることはできません。",
                (values.staysConnectedToApple ? [stillConnected(app)] : []) + [ignoreOrContact(app)])
        case .accountsMerged: return merged(values)
        }
    }

    private static func passwordChanged(_ values: EmailTextValues) -> EmailTexts {
        let app = values.projectName
        let change = "\(app)のアカウントのパスワードが変更され、ほかの端末からログアウトしました。"
        let hasLinks = !values.removable.isEmpty
        return japanese(
            "【\(app)】パスワードが変更されました",
            [change] + (values.hasEarlierMailbox ? [earlierMailbox] : []) + (hasLinks ? [stillWork] : []),
            linkLabels: values.removable.map(\.japaneseRemovalLabel),
            hasLinks
                ? [removalExplanation, values.lifetime.japaneseSinceChange, ignoreOrResetIfMethodsAreListed]
                : [ignoreOrReset])
    }

    private static func merged(_ values: EmailTextValues) -> EmailTexts {
        let app = values.projectName
        let methods = values.methods.map(\.japanese).joined(separator: "、")
        let hasRemovalLink = !values.removable.isEmpty
        let request: String? =
            values.hasLink
            ? "\(noAction)お心当たりがない場合は、次のリンクを開いて統合を取り消してください。"
            : hasRemovalLink ? "\(noAction)お心当たりがない場合は、次のリンクを開いて、別のアカウントから移されたログイン方法を削除してください。" : nil
        let advice: [String] =
            values.hasLink
            ? [
                values.lifetime.japaneseSinceMerge,
                "統合後のアカウントが変更されていても、リンクを使えばご自身のアカウントを元に戻せます。ただし、統合後のアカウントが削除された場合は元に戻せません。",
            ] : hasRemovalLink ? [removalExplanation, values.lifetime.japaneseSinceMerge] : [ignoreOrContact(app)]
        return japanese(
            "【\(app)】アカウントが統合されました",
            [
                "\(app)のあなたのアカウントが、別のアカウントと一つに統合されました。",
                methods.isEmpty ? nil : "統合後のアカウントのログイン方法：\(methods)", request,
            ].compactMap(\.self),
            linkLabels: values.hasLink ? ["統合を取り消す"] : values.removable.map(\.japaneseRemovalLabel), advice)
    }

    private static let notRequested = "お心当たりがない場合は、このメールを無視してください。何も変更されません。"

    private static let noAction = "ご自身の操作であれば、何もする必要はありません。"

    private static let reset = "すぐにログイン画面からパスワードを再設定してください。再設定すると、ほかの人は全員ログアウトされます。"

    private static let ignoreOrReset = "\(noAction)お心当たりがない場合は、\(reset)"

    private static let unconfirmedAddress =
        "\(noAction)お心当たりがない場合は、ログイン画面からパスワードを再設定してください。ご本人のアドレスであることが確認され、ほかのログイン方法はすべて削除されます。"

    private static let ignoreOrResetIfMethodsAreListed =
        "パスワードの変更と上記のログイン方法の追加が、すべてご自身の操作であれば、何もする必要はありません。パスワードの変更にお心当たりがない場合は、\(reset)"

    private static func stillConnected(_ app: String) -> String {
        "\(app)は「Appleでサインイン」の一覧にまだ残っています。削除するには、端末の設定でApple Accountを開き、「Appleでサインイン」から\(app)の使用を停止してください。"
    }

    private static func ignoreOrContact(_ app: String) -> String {
        "\(noAction)お心当たりがない場合は、\(app)の運営者にお問い合わせください。"
    }

    private static let earlierMailbox =
        "このアカウントには以前、別のメールアドレスが登録されていました。そのアドレスの持ち主は、今もアカウントを取り戻せます。そのアドレスにお心当たりがない場合は、もう一度パスワードの再設定を行い、ページで新しいアカウントの作成を選んでください。"

    private static let stillWork =
        "次のログイン方法は、現在もあなたのアカウントで使えます。ご自身で追加していないものがある場合は、そのリンクを開いてください。"

    private static let removalExplanation =
        "リンクを開くと、確認のページが表示されます。そこで確認すると、そのログイン方法と、その後に追加されたログイン方法をすべて削除し、すべての端末からログアウトします。その後に設定されたパスワードは使えなくなり、メールアドレスはこのアドレスに戻ります。"

    private static func japanese(
        _ subject: String, _ paragraph: String, linkLabel: String? = nil, _ advice: [String]
    ) -> EmailTexts {
        japanese(subject, [paragraph], linkLabels: [linkLabel].compactMap(\.self), advice)
    }

    private static func japanese(
        _ subject: String, _ paragraphs: [String], linkLabels: [String], _ advice: [String]
    ) -> EmailTexts {
        EmailTexts(
            subject: subject, paragraphs: paragraphs, linkLabels: linkLabels, advice: advice,
            buttonFallback: "ボタンが使えない場合は、次のアドレスをブラウザーで開いてください。")
    }
}

extension SignInMethodName {
    fileprivate var japanese: String {
        switch self {
        case .named(let name): name
        case .password: "パスワード"
        case .emailLink: "メールのリンク"
        case .phone: "電話番号"
        case .passkey: "パスキー"
        case .oneTimePassword: "認証アプリ"
        case .other: "別のサービス"
        }
    }

    /// Label of the link that removes the method.
    fileprivate var japaneseRemovalLabel: String {
        switch self {
        case .named(let name): "\(name)によるログインを削除する"
        case .password: "パスワードを削除する"
        case .emailLink: "メールのリンクによるログインを削除する"
        case .phone: "電話番号を削除する"
        case .passkey: "パスキーを削除する"
        case .oneTimePassword: "認証アプリを削除する"
        case .other: "別のサービスによるログインを削除する"
        }
    }
}

extension HumanDuration {
    fileprivate var japaneseSinceRequest: String { "このリンクは、お申し込みから\(japanese)、一度だけ使えます。" }
    fileprivate var japaneseSinceChange: String { "このリンクは、変更から\(japanese)、一度だけ使えます。" }
    fileprivate var japaneseSinceMerge: String { "このリンクは、統合から\(japanese)、一度だけ使えます。" }

    private var japanese: String {
        switch self {
        case .minutes(let count): "\(count)分間"
        case .hours(let count): "\(count)時間"
        case .days(let count): "\(count)日間"
        }
    }
}
