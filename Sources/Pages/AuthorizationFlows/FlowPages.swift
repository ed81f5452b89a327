internal import HTML
public import HTTP
public import Identity

extension Page {
    /// The last page of a sign-in in the browser. Its script passes the result to the app.
    ///
    /// - Parameter eventDelivery: the JSON that ``PageScript/delivery`` reads: the result of the sign-in, and how the
    ///   script passes it to the app.
    public static func flowResult(delivering eventDelivery: String, _ context: Context) -> Page {
        var page = Page(
            context, LocalizedString("Signing in…", "ログインしています…"),
            [
                context.paragraph(
                    LocalizedString("You will be taken back to the app.", "アプリに戻ります。")),
                Markup(.noscript, [context.paragraph(.needsScript)]), context.noResponseNotice,
            ])
        page.eventDelivery = eventDelivery
        return page
    }

    /// How the user returns to the app after a failure.
    public enum ReturnToApp: Sendable {
        /// A link to a URL of the app.
        ///
        /// - Parameter url: the URL of the target, with or without an error in its query. The target's URL was checked
        ///   when the sign-in started.
        case link(AuthorizationTarget, url: String)
        /// The script passes an error to the app.
        ///
        /// - Parameters:
        ///   - eventDelivery: as in ``flowResult(delivering:_:)``.
        ///   - waitsForClick: whether the script waits until the user clicks.
        case script(_ eventDelivery: String, waitsForClick: Bool)
        /// The gateway knows no page of the app that it may open.
        case none
    }

    /// A page that explains why a sign-in in the browser failed.
    ///
    /// - Parameters:
    ///   - back: how the user returns to the app.
    ///   - retryQuery: the query of the failed request if the same request may succeed later, otherwise `nil`.
    public static func flowFailure(
        _ failure: FlowFailure, back: ReturnToApp, retryQuery: String? = nil, _ context: Context
    ) -> Page {
        var page = Page(context, failure.title, [context.paragraph(failure.advice)])
        page.isFailure = true
        if let retryQuery {
            let destination = Destination.currentPath(query: retryQuery)
            page.content.append(context.link(LocalizedString("Try again", "もう一度試す"), to: destination))
        }
        let label = LocalizedString("Back to the app", "アプリに戻る")
        let isSecondary = retryQuery != nil
        switch back {
        case .link(let target, let url):
            page.content.append(context.link(label, to: .app(target, at: url), isSecondary: isSecondary))
        case .script(let eventDelivery, let waitsForClick):
            page.eventDelivery = eventDelivery
            if waitsForClick {
                page.content.append(
                    Markup(
                        .button, [.type("button"), .id(.back)] + (isSecondary ? [.classes(.quiet)] : []),
                        text: label.in(context.language)))
            }
            page.content.append(context.noResponseNotice)
        case .none: page.content += context.continueLinkOrAdvice(to: nil)
        }
        return page
    }

    /// Returns the response for a page of a sign-in in the browser. It differs from ``response(status:)``: the
    /// Content-Security-Policy allows the script of the page and no form, and the page can exchange messages with the
    /// window that opened it.
    public func flowResponse(status: Int = 200) -> Response {
        let script = eventDelivery.map { _ in "script-src 'sha256-\(PageScript.delivery.sha256)'; " } ?? ""
        let policy = """
            default-src 'none'; \(script)style-src 'sha256-\(Stylesheet.sha256)'; form-action 'none'; \
            frame-ancestors 'none'; base-uri 'none'
            """
        return Response(
            status: status,
            headers: [
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy": policy,
                "Content-Language": context.language.rawValue,
                "Referrer-Policy": "no-referrer",
                "Cache-Control": "no-store",
                "Cross-Origin-Resource-Policy": "same-origin",
            ],
            body: Array(html.utf8))
    }
}

extension Page.Context {
    /// A hidden text, which the script shows if no page of the app responds.
    fileprivate var noResponseNotice: Markup {
        Markup(
            .p, [.id(.noResponseNotice), .hidden],
            text: LocalizedString(
                "The app does not respond. Close this window, go back to the app and sign in again.",
                "アプリが応答しません。この画面を閉じてアプリに戻り、もう一度ログインしてください。"
            ).in(language))
    }
}

extension LocalizedString {
    fileprivate static let needsScript = LocalizedString(
        "This page needs JavaScript. Turn JavaScript on in your browser and sign in again.",
        "このページにはJavaScriptが必要です。ブラウザーの設定でJavaScriptを有効にして、もう一度ログインしてください。")
}

/// Why a sign-in in the browser ended on a page of the gateway.
public enum FlowFailure: Hashable, Sendable {
    /// The sign-in took too long, its URL is damaged, or its project or tenant is deleted or disabled.
    case expired
    /// The cookie of the flow is missing.
    case otherBrowser
    /// The provider's response was processed before, or was never received.
    case alreadyUsed
    /// The page to return to is not a valid URL, is not on an authorized domain of the project, or is missing in the
    /// app's list of redirect URIs.
    case domainNotAllowed
    /// The provider does not respond in time, or its response cannot be used.
    case providerUnavailable
    /// The provider or the gateway rejects the sign-in.
    case rejected
    case cancelled
    /// The app does not offer this sign-in method or was deleted, or the provider is disabled or not configured.
    case notOffered
    /// The URL of the page lacks a parameter, or has an invalid one, such as an unknown API key or tenant.
    case malformed
    case tooManyAttempts(minutes: Int)
}

extension FlowFailure {
    fileprivate var title: LocalizedString {
        switch self {
        case .expired: LocalizedString("This sign-in has expired", "ログインの有効期限が切れました")
        case .otherBrowser: LocalizedString("We cannot finish this sign-in", "ログインを完了できません")
        case .alreadyUsed: LocalizedString("This sign-in is already finished", "このログインはすでに完了しています")
        case .domainNotAllowed: LocalizedString("This website cannot use this sign-in", "このサイトではこのログインを利用できません")
        case .providerUnavailable: LocalizedString("The sign-in service does not respond", "ログインサービスが応答しません")
        case .rejected: LocalizedString("We could not sign you in", "ログインできませんでした")
        case .cancelled: LocalizedString("You cancelled the sign-in", "ログインを中止しました")
        case .notOffered: LocalizedString("This sign-in is not available", "この方法ではログインできません")
        case .malformed: LocalizedString("This sign-in link is incomplete", "ログイン用のリンクに不備があります")
        case .tooManyAttempts: .tooManyAttempts
        }
    }

    fileprivate var advice: LocalizedString {
        switch self {
        case .expired:
            LocalizedString(
                "You have ten minutes to sign in. Go back to the app and sign in again. Nothing was changed.",
                "ログインは10分以内に完了する必要があります。アプリに戻って、もう一度ログインしてください。変更は行われていません。")
        case .otherBrowser:
            LocalizedString(
                """
                This browser did not start the sign-in, or it does not store cookies. Go back to the app, allow cookies, and \
                sign in again in the same browser. Nothing was changed.
                """,
                """
                別のブラウザーで開始されたログインか、Cookieが保存されていない可能性があります。アプリに戻り、Cookieを許可してから、\
                同じブラウザーでもう一度ログインしてください。変更は行われていません。
                """)
        case .alreadyUsed:
            LocalizedString(
                "Go back to the app. If you are not signed in there, sign in again.",
                "アプリに戻ってください。ログインできていない場合は、もう一度ログインしてください。")
        case .domainNotAllowed:
            LocalizedString(
                """
                The website that opened this page is not allowed to use this sign-in. If you operate the website, add its \
                domain to the project's authorized domains.
                """,
                """
                このページを開いたサイトは、このログインの利用を許可されていません。サイトの運営者の方は、サイトのドメインを\
                プロジェクトの承認済みドメインに追加してください。
                """)
        case .providerUnavailable:
            LocalizedString(
                """
                Wait a moment, then try again. Nothing was changed. You can also go back to the app and sign in another way.
                """,
                """
                しばらく待ってから、もう一度お試しください。変更は行われていません。アプリに戻って、別の方法でログインすることも\
                できます。
                """)
        case .rejected:
            LocalizedString(
                "Nothing was changed. Go back to the app and sign in again.",
                "変更は行われていません。アプリに戻って、もう一度ログインしてください。")
        case .cancelled:
            LocalizedString("Nothing was changed. You can go back to the app.", "変更は行われていません。アプリにお戻りください。")
        case .notOffered:
            LocalizedString(
                "Go back to the app and sign in another way.", "アプリに戻って、別の方法でログインしてください。")
        case .malformed:
            LocalizedString(
                "Go back to the app and sign in again. If you see this page again, contact the operator of the app.",
                "アプリに戻って、もう一度ログインしてください。このページが再び表示される場合は、アプリの運営者にお問い合わせください。")
        case .tooManyAttempts(let minutes): .retryAdvice(afterMinutes: minutes)
        }
    }
}
