internal import HTML
internal import Identity

/// A text of the sign-in page and of the pages with a session.
enum SignInPageText: TextKey {
    case signOut, signOutTitle, signOutNamed, signOutKeepsApps, signedOutTitle, signedOutAdvice
    case foreignFormTitle, foreignFormAdvice

    /// With placeholders in braces, such as `{app}`.
    var english: StaticString {
        switch self {
        case .signOut: "Sign out"
        case .signOutTitle: "Sign out of {app}?"
        case .signOutNamed: "You are signed in as {name} in this browser."
        case .signOutKeepsApps: "Apps in which you are signed in are not affected."
        case .signedOutTitle: "You are signed out"
        case .signedOutAdvice: "This browser is no longer signed in. You can close this page."
        case .foreignFormTitle: "We could not accept this form"
        case .foreignFormAdvice: "Nothing was changed. Open the page again, and submit the form there."
        }
    }
}

extension Page.Context {
    /// A text of the sign-in page for a label, a title or an attribute.
    func text(_ key: SignInPageText, _ values: [Placeholder: TextValue] = [:]) -> String {
        filled(key, values).string(in: language)
    }

    /// A paragraph of the sign-in page.
    func paragraph(_ key: SignInPageText, _ values: [Placeholder: TextValue] = [:]) -> Markup {
        Markup(.p, filled(key, values).markup(in: language))
    }

    /// A text for the components that take a text in every language.
    func localized(_ key: SignInPageText, _ values: [Placeholder: TextValue] = [:]) -> LocalizedString {
        let text = text(key, values)
        return LocalizedString(text, text)
    }

    private func filled(_ key: SignInPageText, _ values: [Placeholder: TextValue]) -> Text {
        Text(key, values.merging([.app: .name(app(in: language))]) { given, _ in given })
    }
}
