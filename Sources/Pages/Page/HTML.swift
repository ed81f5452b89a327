/// A piece of a document. Text and attribute values are escaped on their way in, and there is no other way in but for the
/// one stylesheet.
struct HTML: Sendable {
    /// Elements that have content; the two that have none are made by ``void(_:_:)``.
    enum Element: String {
        case a, body, button, dd, div, dl, dt, fieldset, form, h1, h2, head, html, label, legend, li, main, p, section,
            time
        case title, ul
    }

    enum Void: String {
        case input, meta
    }

    let markup: String

    private init(markup: String) {
        self.markup = markup
    }

    init(_ element: Element, _ attributes: [Attribute], _ children: [HTML]) {
        let content = children.map(\.markup).joined()
        markup = "<\(element)\(attributes.markup)>\(content)</\(element)>"
    }

    init(_ element: Element, _ children: [HTML]) {
        self.init(element, [], children)
    }

    init(_ element: Element, _ attributes: [Attribute] = [], text: String) {
        self.init(element, attributes, [.text(text)])
    }

    static func text(_ text: String) -> HTML { HTML(markup: text.escaped) }

    static func void(_ element: Void, _ attributes: [Attribute]) -> HTML {
        HTML(markup: "<\(element)\(attributes.markup)>")
    }

    /// Content of `style` is read as it stands (HTML §13.1.2.2), so it is escaped by having nothing to escape.
    static let stylesheet = HTML(markup: "<style>\(Stylesheet.text)</style>")
}

/// An attribute of an element. Those that hold URLs take a ``Destination``, so that none can lead to a script.
struct Attribute: Sendable {
    fileprivate let name: StaticString
    fileprivate let value: String?

    private init(_ name: StaticString, _ value: String? = nil) {
        self.name = name
        self.value = value
    }

    static let autofocus = Attribute("autofocus")
    static let invalid = Attribute("aria-invalid", "true")
    static let post = Attribute("method", "post")
    static let readonly = Attribute("readonly")
    static let required = Attribute("required")

    static func action(_ destination: Destination) -> Attribute { Attribute("action", destination.url) }
    static func autocomplete(_ purpose: StaticString) -> Attribute { Attribute("autocomplete", "\(purpose)") }
    static func charset(_ name: StaticString) -> Attribute { Attribute("charset", "\(name)") }
    static func classed(_ names: Stylesheet.Class...) -> Attribute {
        Attribute("class", names.map(\.rawValue).joined(separator: " "))
    }
    static func content(_ text: StaticString) -> Attribute { Attribute("content", "\(text)") }
    static func datetime(_ text: String) -> Attribute { Attribute("datetime", text) }
    static func describedBy(_ anchors: [Anchor]) -> Attribute {
        Attribute("aria-describedby", anchors.map(\.rawValue).joined(separator: " "))
    }
    static func `for`(_ anchor: Anchor) -> Attribute { Attribute("for", anchor.rawValue) }
    static func href(_ destination: Destination) -> Attribute { Attribute("href", destination.url) }
    static func id(_ anchor: Anchor) -> Attribute { Attribute("id", anchor.rawValue) }
    static func labelledBy(_ anchor: Anchor) -> Attribute { Attribute("aria-labelledby", anchor.rawValue) }
    static func lang(_ code: String) -> Attribute { Attribute("lang", code) }
    static func maxlength(_ length: Int) -> Attribute { Attribute("maxlength", String(length)) }
    static func minlength(_ length: Int) -> Attribute { Attribute("minlength", String(length)) }
    static func name(_ name: String) -> Attribute { Attribute("name", name) }
    static func passwordRules(_ rules: String) -> Attribute { Attribute("passwordrules", rules) }
    static func role(_ role: StaticString) -> Attribute { Attribute("role", "\(role)") }
    static func type(_ type: StaticString) -> Attribute { Attribute("type", "\(type)") }
    static func value(_ text: String) -> Attribute { Attribute("value", text) }

    fileprivate var markup: String { " \(name)" + (value.map { #"="\#($0.escaped)""# } ?? "") }
}

/// What other elements refer to.
struct Anchor {
    let rawValue: String

    static let address = Anchor(rawValue: "address")
    static let password = Anchor(rawValue: "password")
    static let passwordRules = Anchor(rawValue: "passwordRules")
    static let problem = Anchor(rawValue: "problem")
    static let stranger = Anchor(rawValue: "stranger")

    /// A checkbox, by its place on the page.
    static func removal(_ number: Int) -> Anchor { Anchor(rawValue: "removal\(number)") }
    static func removalDetails(_ number: Int) -> Anchor { Anchor(rawValue: "removalDetails\(number)") }
}

extension [Attribute] {
    fileprivate var markup: String { map(\.markup).joined() }
}

extension String {
    /// Fit for text and for values in double quotes (HTML §13.1.2.3). What could end a line of the markup too early, or
    /// change its direction, stays what it is: text.
    fileprivate var escaped: String {
        var escaped = ""
        escaped.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\0": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
