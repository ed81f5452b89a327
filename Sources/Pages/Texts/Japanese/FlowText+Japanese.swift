// One text per line, however long it is.
// swift-format-ignore-file

extension FlowText {
    var japanese: StaticString {
        switch self {
        case .signingIn: "ログインしています…"
        case .returning: "アプリに戻ります。"
        case .needsScript: "このページにはJavaScriptが必要です。ブラウザーの設定でJavaScriptを有効にして、もう一度ログインしてください。"
        case .noResponse: "アプリが応答しません。この画面を閉じてアプリに戻り、もう一度ログインしてください。"
        case .tryAgain: "もう一度試す"
        case .backToApp: "アプリに戻る"
        case .expired: "ログインの有効期限が切れました"
        case .expiredAdvice: "ログインは10分以内に完了する必要があります。アプリに戻って、もう一度ログインしてください。変更は行われていません。"
        case .otherBrowser: "ログインを完了できません"
        case .otherBrowserAdvice: "別のブラウザーで開始されたログインか、Cookieが保存されていない可能性があります。アプリに戻り、Cookieを許可してから、同じブラウザーでもう一度ログインしてください。変更は行われていません。"
        case .alreadyUsed: "このログインはすでに完了しています"
        case .alreadyUsedAdvice: "アプリに戻ってください。ログインできていない場合は、もう一度ログインしてください。"
        case .domainNotAllowed: "このサイトではこのログインを利用できません"
        case .domainNotAllowedAdvice: "このページを開いたサイトは、このログインの利用を許可されていません。サイトの運営者の方は、サイトのドメインをプロジェクトの承認済みドメインに追加してください。"
        case .providerUnavailable: "ログインサービスが応答しません"
        case .providerUnavailableAdvice: "しばらく待ってから、もう一度お試しください。変更は行われていません。アプリに戻って、別の方法でログインすることもできます。"
        case .rejected: "ログインできませんでした"
        case .rejectedAdvice: "変更は行われていません。アプリに戻って、もう一度ログインしてください。"
        case .cancelled: "ログインを中止しました"
        case .cancelledAdvice: "変更は行われていません。アプリにお戻りください。"
        case .notOffered: "この方法ではログインできません"
        case .notOfferedAdvice: "アプリに戻って、別の方法でログインしてください。"
        case .malformed: "ログイン用のリンクに不備があります"
        case .malformedAdvice: "アプリに戻って、もう一度ログインしてください。このページが再び表示される場合は、アプリの運営者にお問い合わせください。"
        }
    }
}
