internal import HTML
public import HTTP
public import Identity

/// The way back to the app that has led the user to the page that signs out.
public struct SignOutReturn: Sendable {
    let app: ID<App>
    let back: CheckedReturn

    public init(to target: AuthorizationTarget, of app: ID<App>) {
        self.app = app
        back = CheckedReturn(target, url: target.text)
    }

    /// The parameters of the page, which its form repeats.
    public var parameters: [(name: String, value: String)] { [("app", app.rawValue), ("continueUri", back.url)] }
}

extension Page {
    /// Asks whether to end the session of the browser.
    ///
    /// - Parameter name: the user's name or address; `nil` if the account has neither.
    public static func signOut(
        _ name: String?, formToken: String, returningTo way: SignOutReturn?, _ context: Context
    ) -> Page {
        let named = name.map { [context.paragraph(.signOutNamed, [.name: .name($0)])] } ?? []
        let parameters = (way?.parameters ?? []).map { Markup.hidden(name: $0, value: $1) }
        return Page(
            context, Text(SignInPageText.signOutTitle),
            named + [
                context.paragraph(.signOutKeepsApps),
                Markup(
                    .form, [.post, .action(.currentPage)],
                    parameters + [.formToken(formToken), context.button(Text(SignInPageText.signOut))]),
            ] + context.link(to: way, isSecondary: true))
    }

    /// The browser has no session.
    public static func signedOut(returningTo way: SignOutReturn?, _ context: Context) -> Page {
        Page(
            context, Text(SignInPageText.signedOutTitle),
            [context.paragraph(.signedOutAdvice)] + context.link(to: way))
    }

    /// Why a page with a session does nothing.
    public enum SessionFailure: Sendable {
        /// The form does not come from a page of the gateway.
        case foreignForm
    }

    public static func sessionFailure(_ failure: SessionFailure, _ context: Context) -> Page {
        switch failure {
        case .foreignForm:
            Page(
                context, Text(SignInPageText.foreignFormTitle), [context.paragraph(.foreignFormAdvice)])
        }
    }

    /// Returns the response for a page with forms that a session or a flow protects. Browsers send the origin of the
    /// page with a form, and no URL of the page to other sites.
    ///
    /// - Parameters:
    ///   - formTargets: the origins or schemes to which a form of the page can lead, besides the gateway itself.
    ///   - imageSources: the origins from which the page loads images.
    public func sessionResponse(
        status: Int = 200, formTargets: [String] = [], imageSources: [String] = []
    ) -> Response {
        let plain = response(status: status)
        var headers = Headers()
        for (name, value) in plain.headers {
            switch name {
            case "Referrer-Policy": headers.add(name, "same-origin")
            case "Content-Security-Policy": headers.add(name, policy(value, formTargets, imageSources))
            default: headers.add(name, value)
            }
        }
        return Response(status: plain.status, headers: headers, body: plain.body)
    }

    private func policy(_ plain: String, _ formTargets: [String], _ imageSources: [String]) -> String {
        var directives = plain.split(separator: ";").map { $0.drop { $0 == " " } }.map(String.init)
        if usesPasskeys { directives.insert("script-src 'sha256-\(PageScript.passkeys.sha256)'", at: 1) }
        if !imageSources.isEmpty {
            let images = directives.firstIndex { $0 == "img-src" || $0.hasPrefix("img-src ") }
            let sources = imageSources.joined(separator: " ")
            if let images {
                directives[images] += " " + sources
            } else {
                directives.insert("img-src " + sources, at: min(2, directives.count))
            }
        }
        return directives.map { directive in
            directive.hasPrefix("form-action ") ? ([directive] + formTargets).joined(separator: " ") : directive
        }.joined(separator: "; ")
    }
}

extension Page.Context {
    fileprivate func link(to way: SignOutReturn?, isSecondary: Bool = false) -> [Markup] {
        way.map { [link(localized(.backToApp), to: $0.back.destination, isSecondary: isSecondary)] } ?? []
    }
}

extension Markup {
    /// The name of the field is that of the gateway's form protection.
    static func formToken(_ token: String) -> Markup {
        .hidden(name: "formToken", value: token)
    }
}
