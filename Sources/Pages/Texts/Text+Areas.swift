internal import HTML
internal import Identity

extension Text {
    static func page(_ key: PageText, _ values: [Placeholder: TextValue] = [:]) -> Text { Text(key, values) }
    static func action(_ key: EmailActionText, _ values: [Placeholder: TextValue] = [:]) -> Text { Text(key, values) }
    static func signIn(_ key: SignInPageText, _ values: [Placeholder: TextValue] = [:]) -> Text { Text(key, values) }
    static func flow(_ key: FlowText, _ values: [Placeholder: TextValue] = [:]) -> Text { Text(key, values) }
}

extension Page.Context {
    /// Returns the text in the language of the page. `{app}` is the project's name, or "the app".
    func words(_ text: Text) -> [Markup] { filled(text).markup(in: language) }

    /// Returns the text for an attribute or a title.
    func string(_ text: Text) -> String { filled(text).string(in: language) }

    private func filled(_ text: Text) -> Text {
        var text = text
        text.values[.app] = text.values[.app] ?? app
        text.customTexts = customTexts
        return text
    }

    /// Returns a paragraph that has no built-in text; empty if the project has none in the language of the page.
    func help(_ key: CustomText) -> [Markup] {
        guard let template = customTexts[key, language].flatMap(MessageTemplate.init) else { return [] }
        return [Markup(.p, [.classes(.note, .help)], template.parts(language, [.app: app]).map(\.markup))]
    }

    /// The project's name, or "the app".
    var app: TextValue { projectName.map(TextValue.name) ?? .text(.page(.app)) }
}
