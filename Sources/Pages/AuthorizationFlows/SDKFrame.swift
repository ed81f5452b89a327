internal import HTML
public import HTTP

/// The frame that Firebase's JavaScript SDK embeds in the page of the app. It passes events (results of sign-ins) to
/// that page.
public enum SDKFrame {
    /// The origin of the script library through which the SDK and its frame exchange messages. The library is the
    /// only external script of the gateway's pages.
    static let libraryOrigin = "https://apis.google.com"

    /// Returns the key that identifies a frame and its events: the API key, as the gateway checked it, and the name of
    /// the SDK's app.
    public static func key(apiKey: String, appName: String) -> String { "\(apiKey):\(appName)" }

    /// - Parameters:
    ///   - key: identifies the frame; see ``key(apiKey:appName:)``. The script accepts only events with this key.
    ///   - ancestors: the pages that may embed the frame, as sources of a Content-Security-Policy. A page that embeds
    ///     the frame gets the events.
    public static func response(withKey key: String, for ancestors: [String]) -> Response {
        let html = Markup.document(
            language: "en",
            head: [.void(.meta, [.name("robots"), .content("noindex")]), Markup(.title, text: "Sign in")],
            body: Markup(
                .body, [.frame(key)],
                [PageScript.sdkFrame.markup, .script(from: URLReference(libraryOrigin + "/js/api.js"))]))
        let policy = """
            default-src 'none'; script-src 'sha256-\(PageScript.sdkFrame.sha256)' \(libraryOrigin); form-action 'none'; \
            frame-ancestors \(ancestors.joined(separator: " ")); base-uri 'none'
            """
        return Response(
            status: 200,
            headers: [
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy": policy,
                "Referrer-Policy": "no-referrer",
                "Cache-Control": "public, max-age=300",
                "Cross-Origin-Resource-Policy": "cross-origin",
            ],
            body: Array(html.utf8))
    }
}
