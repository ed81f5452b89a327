internal import HTML
internal import Identity

extension Text {
    static func page(_ key: PageText, _ values: [Placeholder: TextValue] = [:]) -> Text { Text(key, values) }
    static func action(_ key: EmailActionText, _ values: [Placeholder: TextValue] = [:]) -> Text { Text(key, values) }
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
        return text
    }

    /// The project's name, or "the app".
    var app: TextValue { projectName.map(TextValue.name) ?? .text(.page(.app)) }
}
