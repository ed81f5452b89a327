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
            context, .flow(.signingIn),
            [
                context.paragraph(.flow(.returning)),
                Markup(.noscript, [context.paragraph(.flow(.needsScript))]), context.noResponseNotice,
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
        var page = Page(context, failure.texts.title, [context.paragraph(failure.texts.advice)])
        page.isFailure = true
        if let retryQuery {
            let destination = Destination.currentPath(query: retryQuery)
            page.content.append(context.link(.flow(.tryAgain), to: destination))
        }
        let label = Text.flow(.backToApp)
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
                        context.words(label)))
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
            default-src 'none'; \(script)\(Self.stylePolicy(styleHashes))\(context.imagePolicy)\
            form-action 'none'; frame-ancestors 'none'; base-uri 'none'
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
        Markup(.p, [.id(.noResponseNotice), .hidden], words(.flow(.noResponse)))
    }
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
    fileprivate var texts: (title: Text, advice: Text) {
        switch self {
        case .expired: (.flow(.expired), .flow(.expiredAdvice))
        case .otherBrowser: (.flow(.otherBrowser), .flow(.otherBrowserAdvice))
        case .alreadyUsed: (.flow(.alreadyUsed), .flow(.alreadyUsedAdvice))
        case .domainNotAllowed: (.flow(.domainNotAllowed), .flow(.domainNotAllowedAdvice))
        case .providerUnavailable: (.flow(.providerUnavailable), .flow(.providerUnavailableAdvice))
        case .rejected: (.flow(.rejected), .flow(.rejectedAdvice))
        case .cancelled: (.flow(.cancelled), .flow(.cancelledAdvice))
        case .notOffered: (.flow(.notOffered), .flow(.notOfferedAdvice))
        case .malformed: (.flow(.malformed), .flow(.malformedAdvice))
        case .tooManyAttempts(let minutes): (.page(.tooManyAttempts), .retryAdvice(afterMinutes: minutes))
        }
    }
}
