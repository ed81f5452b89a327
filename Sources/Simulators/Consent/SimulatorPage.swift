internal import Crypto
internal import Encoding
internal import HTML
internal import HTTP

/// A page of a simulated provider. All of these pages have the same layout, styles and headers.
struct SimulatorPage {
    let language: ConsentLanguage
    let title: String

    private static let submission: StaticString = "document.forms[0].submit()"

    /// Returns the page. Its headers contain no `Cross-Origin-Opener-Policy`, because a popup would lose its opener.
    /// The Content-Security-Policy contains no `form-action`, because browsers apply it to the redirects that follow a
    /// form.
    ///
    /// - Parameter submitsItself: whether a script submits the first form of the page.
    func response(_ content: [Markup], status: Int = 200, submitsItself: Bool = false) -> Response {
        let script = submitsItself ? [Markup.script(Self.submission)] : []
        let html = Markup.document(
            language: language.rawValue,
            head: [
                .void(.meta, [.name("viewport"), .content("width=device-width, initial-scale=1")]),
                Markup(.title, text: title), .style(ConsentStylesheet.text),
            ],
            body: Markup(.body, [Markup(.main, [Markup(.h1, text: title)] + content)] + script))
        let scriptSource = submitsItself ? "; script-src '\(Self.hash(of: Self.submission))'" : ""
        return Response(
            status: status,
            headers: [
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy":
                    "default-src 'none'; style-src '\(Self.hash(of: ConsentStylesheet.text))'\(scriptSource); "
                    + "base-uri 'none'; frame-ancestors 'none'",
                "Content-Language": language.rawValue, "Vary": "Accept-Language",
                // With `no-referrer`, form posts would have `Origin: null`, unlike those of the real providers.
                "Referrer-Policy": "strict-origin", "Cache-Control": "no-store", "X-Frame-Options": "DENY",
            ], body: Array(html.utf8))
    }

    /// Returns the hash by which a Content-Security-Policy identifies a style or script (CSP 3 §6.7.3.3).
    private static func hash(of text: StaticString) -> String {
        let digest = text.withUTF8Buffer { Digest.sha256(Array($0)) }
        return "sha256-\(Base64.encode(digest))"
    }
}
