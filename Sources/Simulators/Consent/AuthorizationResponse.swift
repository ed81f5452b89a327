internal import Encoding
internal import HTML
internal import HTTP

/// The response of an authorization endpoint, which the browser sends to the redirect URI.
struct AuthorizationResponse {
    /// Where the fields are sent (OAuth 2.0 Multiple Response Type Encoding Practices §2.1, OAuth 2.0 Form Post
    /// Response Mode §2).
    enum Mode: String {
        case query, fragment
        case formPost = "form_post"
    }

    let redirectURI: String
    let fields: [(name: String, value: String)]

    func response(_ mode: Mode, in language: ConsentLanguage) -> Response {
        let encoded = PercentEncoding.encode(form: fields.map { ($0.name, $0.value) })
        switch mode {
        case .query: return redirect(to: redirectURI + (redirectURI.contains("?") ? "&" : "?") + encoded)
        case .fragment: return redirect(to: "\(redirectURI)#\(encoded)")
        case .formPost: return formPost(in: language)
        }
    }

    private func redirect(to location: String) -> Response {
        Response(status: 303, headers: ["Location": location, "Cache-Control": "no-store"])
    }

    /// A page with a form that a script submits. Without scripts, the person submits it.
    private func formPost(in language: ConsentLanguage) -> Response {
        let inputs = fields.map { Markup.void(.input, [.type("hidden"), .name($0), .value($1)]) }
        let button = Markup(.button, [.type("submit")], text: language.text("Continue to the app", "アプリに進む"))
        let form = Markup(.form, [.post, .action(URLReference(redirectURI))], inputs + [button])
        return SimulatorPage(language: language, title: language.text("One moment", "お待ちください"))
            .response([form], submitsItself: true)
    }
}
