/// A fragment of an HTML document. Every text and every attribute value is escaped when a fragment is built, so
/// markup can come only from this module's types, and from the constants of ``style(_:)`` and ``script(_:)``.
public struct Markup: Sendable {
    /// Elements with content. ``void(_:_:)`` builds the elements without content.
    public enum Element: String, Sendable {
        case a, bdi, body, button, code, dd, details, div, dl, dt, fieldset, figcaption, figure, footer, form, h1, h2,
            h3, head, header, html, iframe, label, legend, li, main, nav, noscript, option, p, picture, pre, script,
            section, select, span, strong, summary, table, tbody, td, textarea, th, thead, time, title, tr, ul
        /// Elements of SVG. Inside ``svg``, ``title`` is SVG's element with the same name.
        case g, line, path, rect, svg, text
    }

    public enum VoidElement: String, Sendable {
        case base, br, img, input, link, meta, source
    }

    /// The fragment as HTML.
    public let html: String

    private init(html: String) {
        self.html = html
    }

    public init(_ element: Element, _ attributes: [Attribute] = [], _ children: [Markup] = []) {
        let content = children.map(\.html).joined()
        html = "<\(element.rawValue)\(attributes.html)>\(content)</\(element.rawValue)>"
    }

    public init(_ element: Element, _ attributes: [Attribute] = [], text: String) {
        self.init(element, attributes, [.text(text)])
    }

    public static func text(_ text: String) -> Markup { Markup(html: text.escaped()) }

    public static func void(_ element: VoidElement, _ attributes: [Attribute] = []) -> Markup {
        Markup(html: "<\(element.rawValue)\(attributes.html)>")
    }

    /// - Parameter css: inserted without escaping (HTML §13.1.2.6), so it must be a constant in the source code.
    public static func style(_ css: StaticString) -> Markup { Markup(html: "<style>\(css)</style>") }

    /// A style whose text the program computes from values that are not texts, such as colours.
    ///
    /// - Parameter css: inserted without escaping. A `<`, which could end the element, stops the process.
    public static func style(computed css: String) -> Markup {
        precondition(!css.utf8.contains(UInt8(ascii: "<")))
        return Markup(html: "<style>\(css)</style>")
    }

    /// - Parameter text: inserted without escaping, so it must be a constant in the source code.
    public static func script(_ text: StaticString) -> Markup { Markup(html: "<script>\(text)</script>") }

    /// - Parameter svg: the content of an `svg` element with a view box of 48 by 48, hidden from screen readers.
    ///   Inserted without escaping, so it must be a constant in the source code.
    public static func icon(_ svg: StaticString) -> Markup {
        Markup(html: #"<svg viewBox="0 0 48 48" width="20" height="20" aria-hidden="true">\#(svg)</svg>"#)
    }

    /// A text of a person, isolated so that its direction does not change the order of the texts around it.
    public static func isolated(_ text: String) -> Markup { Markup(.bdi, text: text) }

    /// An input for several lines. The parser of HTML drops a newline after the opening tag, so one is added.
    public static func textarea(_ attributes: [Attribute], text: String) -> Markup {
        Markup(.textarea, attributes, [.newline, .text(text)])
    }

    /// A stylesheet that the browser loads from the gateway.
    public static func stylesheet(from url: URLReference) -> Markup {
        .void(.link, [.stylesheetRelation, .href(url)])
    }

    /// A script that the browser loads without delaying the page (`async`).
    public static func script(from url: URLReference) -> Markup { Markup(.script, [.src(url), .async]) }

    /// Separates elements in the source of a document.
    public static let newline = Markup(html: "\n")

    /// Returns a complete document in UTF-8.
    ///
    /// - Parameters:
    ///   - isRightToLeft: whether lines begin at the right edge.
    ///   - head: follows the declaration of the character encoding.
    public static func document(language: String, isRightToLeft: Bool = false, head: [Markup], body: Markup) -> String {
        let head = Markup(.head, [.void(.meta, [.charset("utf-8")])] + head)
        let attributes: [Attribute] = [.lang(language), .dir(isRightToLeft ? "rtl" : "ltr")]
        return "<!DOCTYPE html>\n" + Markup(.html, attributes, [head, body]).html + "\n"
    }
}

extension Markup {
    public init(_ element: Element, _ children: [Markup]) {
        self.init(element, [], children)
    }
}

extension [Attribute] {
    fileprivate var html: String { map(\.html).joined() }
}

extension String {
    /// Escaped for text and for attribute values in quotes (HTML §13.1.2.3).
    ///
    /// - Parameter quote: the quote around an attribute value. Between single quotes, a double quote is not escaped.
    func escaped(between quote: Character = "\"") -> String {
        var escaped = ""
        escaped.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"" where quote == "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\0": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
