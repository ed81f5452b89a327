/// An attribute of an element. Attributes with URLs take a ``URLReference``, so that no link can run a script.
public struct Attribute: Sendable {
    private let name: StaticString
    private let value: String?
    private let quote: Character

    private init(_ name: StaticString, _ value: String? = nil, quote: Character = "\"") {
        self.name = name
        self.value = value
        self.quote = quote
    }

    /// A value in JSON. Its many double quotes need no escape between single ones.
    private init(_ name: StaticString, json: String) { self.init(name, json, quote: "'") }

    public static let autofocus = Attribute("autofocus")
    public static let async = Attribute("async")
    public static let currentPage = Attribute("aria-current", "page")
    public static let checked = Attribute("checked")
    public static let focusable = Attribute("tabindex", "0")
    /// For a target of a script or link that the keyboard does not reach.
    public static let focusableByScript = Attribute("tabindex", "-1")
    public static let hidden = Attribute("hidden")
    public static let invalid = Attribute("aria-invalid", "true")
    /// For a form with files.
    public static let multipart = Attribute("enctype", "multipart/form-data")
    public static let noSpellcheck = Attribute("spellcheck", "false")
    public static let open = Attribute("open")
    public static let opensNewTab = Attribute("target", "_blank")
    public static let post = Attribute("method", "post")
    public static let readonly = Attribute("readonly")
    public static let required = Attribute("required")
    public static let selected = Attribute("selected")
    public static let iconRelation = Attribute("rel", "icon")
    static let stylesheetRelation = Attribute("rel", "stylesheet")
    /// For a frame without scripts and forms, whose links can open new tabs without these restrictions.
    public static let sandboxWithLinks = Attribute("sandbox", "allow-popups allow-popups-to-escape-sandbox")

    /// The condition of a `source` in a `picture`: the user prefers dark colours.
    public static let darkScheme = Attribute("media", "(prefers-color-scheme: dark)")
    public static let numericInput = Attribute("inputmode", "numeric")

    /// Makes a `meta` element load `url` as soon as the page is loaded.
    public static func refresh(to url: URLReference) -> [Attribute] {
        [Attribute("http-equiv", "refresh"), Attribute("content", "0;url=" + url.text)]
    }

    /// - Parameter images: the URLs of an image, each with the pixel density of the screens that it is for.
    public static func srcset(_ images: [(url: URLReference, density: Int)]) -> Attribute {
        Attribute("srcset", images.map { "\($0.url.text) \($0.density)x" }.joined(separator: ", "))
    }

    /// - Parameter types: the media types of files that an input proposes to the user.
    public static func accept(_ types: StaticString) -> Attribute { Attribute("accept", "\(types)") }
    public static func action(_ url: URLReference) -> Attribute { Attribute("action", url.text) }
    public static func alt(_ text: String) -> Attribute { Attribute("alt", text) }
    public static func autocomplete(_ purpose: StaticString) -> Attribute { Attribute("autocomplete", "\(purpose)") }
    public static func charset(_ name: StaticString) -> Attribute { Attribute("charset", "\(name)") }
    public static func classes(_ names: [String]) -> Attribute { Attribute("class", names.joined(separator: " ")) }
    public static func content(_ text: StaticString) -> Attribute { Attribute("content", "\(text)") }
    /// JSON that tells the script of the page how to deliver the result of a sign-in to the app. The script reads
    /// `document.body.dataset.delivery`.
    public static func delivery(_ json: String) -> Attribute { Attribute("data-delivery", json: json) }
    /// The key of the SDK's frame, which the script of the frame reads as `document.body.dataset.frame`.
    public static func frame(_ key: String) -> Attribute { Attribute("data-frame", key) }
    /// The options of a ceremony with passkeys, in JSON, which the script of the page reads as `form.dataset.passkey`.
    public static func passkeyOptions(_ json: String) -> Attribute { Attribute("data-passkey", json: json) }
    /// A passkey that the gateway does not know, in JSON, which the script of the page reads as `form.dataset.unknown`.
    public static func unknownPasskey(_ json: String) -> Attribute { Attribute("data-unknown", json: json) }
    /// The passkeys that the gateway accepts, in JSON, which the script of the page reads as `dataset.accepted`.
    public static func acceptedPasskeys(_ json: String) -> Attribute { Attribute("data-accepted", json: json) }
    public static func datetime(_ text: String) -> Attribute { Attribute("datetime", text) }
    static func dir(_ direction: StaticString) -> Attribute { Attribute("dir", "\(direction)") }
    public static func describedBy(_ ids: [ElementID]) -> Attribute {
        Attribute("aria-describedby", ids.map(\.rawValue).joined(separator: " "))
    }
    /// - Parameter mode: the keyboard that a phone shows, for example `numeric`.
    public static func inputMode(_ mode: StaticString) -> Attribute { Attribute("inputmode", "\(mode)") }
    /// The form of a button outside of it.
    public static func form(_ id: ElementID) -> Attribute { Attribute("form", id.rawValue) }
    public static func `for`(_ id: ElementID) -> Attribute { Attribute("for", id.rawValue) }
    public static func height(_ pixels: Int) -> Attribute { Attribute("height", String(pixels)) }
    public static func href(_ url: URLReference) -> Attribute { Attribute("href", url.text) }
    public static func id(_ id: ElementID) -> Attribute { Attribute("id", id.rawValue) }
    public static func labelledBy(_ id: ElementID) -> Attribute { Attribute("aria-labelledby", id.rawValue) }
    public static func label(_ text: String) -> Attribute { Attribute("aria-label", text) }
    public static func lang(_ code: String) -> Attribute { Attribute("lang", code) }
    public static func media(_ query: StaticString) -> Attribute { Attribute("media", "\(query)") }
    public static func maxlength(_ length: Int) -> Attribute { Attribute("maxlength", String(length)) }
    public static func minlength(_ length: Int) -> Attribute { Attribute("minlength", String(length)) }
    public static func name(_ name: String) -> Attribute { Attribute("name", name) }
    public static func passwordRules(_ rules: String) -> Attribute { Attribute("passwordrules", rules) }
    public static func download(_ name: String) -> Attribute { Attribute("download", name) }
    public static func role(_ role: StaticString) -> Attribute { Attribute("role", "\(role)") }
    public static func rows(_ count: Int) -> Attribute { Attribute("rows", String(count)) }
    /// The heading of a cell's column, which a stylesheet shows beside the cell.
    public static func columnHeading(_ text: String) -> Attribute { Attribute("data-heading", text) }
    public static func scope(_ cells: StaticString) -> Attribute { Attribute("scope", "\(cells)") }
    /// The number of the last row, after which the script of a list asks for newer rows.
    public static func lastRow(_ number: Int) -> Attribute { Attribute("data-last", String(number)) }
    public static func src(_ url: URLReference) -> Attribute { Attribute("src", url.text) }
    public static func srcset(_ url: URLReference) -> Attribute { Attribute("srcset", url.text) }
    public static func style(_ css: StaticString) -> Attribute { Attribute("style", "\(css)") }
    public static func title(_ text: String) -> Attribute { Attribute("title", text) }
    public static func type(_ type: StaticString) -> Attribute { Attribute("type", "\(type)") }
    public static func value(_ text: String) -> Attribute { Attribute("value", text) }
    public static func width(_ pixels: Int) -> Attribute { Attribute("width", String(pixels)) }

    // Attributes of SVG, in the units of the element's ``viewBox(width:height:)``.

    /// The shape of a path, whose corners have these coordinates.
    public static func shape(_ commands: [PathCommand]) -> Attribute {
        Attribute("d", commands.map(\.text).joined())
    }
    /// Edges without intermediate colours.
    public static let crispEdges = Attribute("shape-rendering", "crispEdges")
    public static func fill(_ color: StaticString) -> Attribute { Attribute("fill", "\(color)") }
    public static func stroke(_ color: StaticString) -> Attribute { Attribute("stroke", "\(color)") }
    public static let anchorEnd = Attribute("text-anchor", "end")
    public static let anchorMiddle = Attribute("text-anchor", "middle")
    public static func viewBox(width: Int, height: Int) -> Attribute { Attribute("viewBox", "0 0 \(width) \(height)") }
    public static func x(_ x: Int) -> Attribute { Attribute("x", String(x)) }
    public static func x1(_ x: Int) -> Attribute { Attribute("x1", String(x)) }
    public static func x2(_ x: Int) -> Attribute { Attribute("x2", String(x)) }
    public static func y(_ y: Int) -> Attribute { Attribute("y", String(y)) }
    public static func y1(_ y: Int) -> Attribute { Attribute("y1", String(y)) }
    public static func y2(_ y: Int) -> Attribute { Attribute("y2", String(y)) }

    var html: String {
        " \(name)" + (value.map { "=\(quote)\($0.escaped(between: quote))\(quote)" } ?? "")
    }
}

/// A step of the shape of an SVG path. Coordinates are in tenths, so that shapes have few characters.
public enum PathCommand: Sendable {
    case move(x: Int, y: Int)
    /// To the right by this distance, without a line.
    case moveRight(by: Int)
    /// A horizontal line by this distance.
    case horizontal(by: Int)
    /// A vertical line to this coordinate.
    case vertical(to: Int)
    case close

    fileprivate var text: String {
        switch self {
        case .move(let x, let y): "M\(Self.number(x)) \(Self.number(y))"
        case .moveRight(let distance): "m\(Self.number(distance)) 0"
        case .horizontal(let distance): "h\(Self.number(distance))"
        case .vertical(let y): "V\(Self.number(y))"
        case .close: "z"
        }
    }

    private static func number(_ tenths: Int) -> String {
        let (whole, rest) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
        return (tenths < 0 ? "-" : "") + (rest == 0 ? "\(whole)" : "\(whole).\(rest)")
    }
}

/// The `id` of an element, to which labels and descriptions refer.
public struct ElementID: Sendable {
    public let rawValue: String

    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }
}

/// A URL that is safe in an attribute. A URL that the initializer does not accept becomes `about:invalid`, because a
/// browser would run, for example, a `javascript:` URL as a script.
public struct URLReference: Sendable {
    public let text: String

    /// A relative URL, or an absolute URL with the scheme `http` or `https`. Accepts no others.
    public init(_ text: String) {
        let parts = text.prefix { !"/?#".contains($0) }.split(separator: ":", omittingEmptySubsequences: false)
        let isAllowed = parts.count < 2 || ["http", "https"].contains(parts[0].lowercased())
        self.text = isAllowed ? text : "about:invalid"
    }

    /// An absolute URL, whose scheme may belong to an app. Accepts no relative URLs, and no schemes with which a
    /// browser runs a script or shows local or embedded content (for example `javascript`, `file` or `data`).
    public init(appLink text: String) {
        let parts = text.prefix { !"/?#".contains($0) }.split(separator: ":", omittingEmptySubsequences: false)
        let isDangerous =
            parts.count < 2 || parts[0].wholeMatch(of: /[A-Za-z][A-Za-z0-9+.-]*/) == nil
            || Self.browserSchemes.contains(parts[0].lowercased())
        self.text = isDangerous ? "about:invalid" : text
    }

    /// An absolute URL with the scheme `https` or `mailto`. Accepts no others.
    public init(webOrEmail text: String) {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        let isAllowed = scheme.utf8.count < text.utf8.count && ["https", "mailto"].contains(scheme)
        self.text = isAllowed ? text : "about:invalid"
    }

    /// An image inside the same email (RFC 2392).
    ///
    /// - Parameter id: letters, digits and hyphens.
    public init(contentID id: String) {
        text = "cid:\(id)"
    }

    private static let browserSchemes: Set<String> = [
        "about", "blob", "data", "file", "filesystem", "javascript", "vbscript",
    ]
}
