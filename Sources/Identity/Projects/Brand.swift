internal import Encoding

/// How pages and emails present a project, or one of its apps.
public struct Brand: Hashable, Sendable {
    /// The name that users see; `nil` means the project's name.
    public var name: String?
    /// The colour of buttons, links and focus rings; see ``RGBColor``.
    public var color: RGBColor?
    public var logo: BrandImage?
    /// Replaces ``logo`` where the reader prefers dark colours.
    public var darkLogo: BrandImage?
    /// The icon of pages in the browser.
    public var favicon: BrandImage?
    public var privacy: BrandLink?
    public var terms: BrandLink?
    /// Where users get help. The only link that can be an email address.
    public var support: BrandLink?

    public init(
        name: String? = nil, color: RGBColor? = nil, logo: BrandImage? = nil, darkLogo: BrandImage? = nil,
        favicon: BrandImage? = nil, privacy: BrandLink? = nil, terms: BrandLink? = nil, support: BrandLink? = nil
    ) {
        self.name = name
        self.color = color
        self.logo = logo
        self.darkLogo = darkLogo
        self.favicon = favicon
        self.privacy = privacy
        self.terms = terms
        self.support = support
    }
}

extension Brand {
    /// Returns this brand of a project with the members that the brand of an app sets. The two logos belong together.
    public func overridden(by app: Brand) -> Brand {
        Brand(
            name: app.name ?? name, color: app.color ?? color, logo: app.logo ?? logo,
            darkLogo: app.logo == nil ? app.darkLogo ?? darkLogo : app.darkLogo, favicon: app.favicon ?? favicon,
            privacy: app.privacy ?? privacy, terms: app.terms ?? terms, support: app.support ?? support)
    }
}

extension Project {
    /// The brand of the project's app, or of the project if it has no such app.
    public func brand(of app: ID<App>?) -> Brand {
        guard let app = apps.first(where: { $0.id == app }) else { return brand }
        return brand.overridden(by: app.settings.brand)
    }

    /// The name of an app in a list: that of its own brand, otherwise its display name. The name of the project's brand
    /// would say nothing there.
    ///
    /// - Returns: `nil` if the project has no such app.
    public func name(of app: ID<App>) -> String? {
        apps.first { $0.id == app }.map { $0.settings.brand.name ?? appNames[$0.id] ?? $0.id.rawValue }
    }
}

extension ProjectConfiguration {
    /// Names that cannot be the sender's name of an email.
    var brandProblems: [ConfigurationProblem] {
        let brands = [(nil, realm.project.brand)] + apps.map { ($0.app.id, $0.app.settings.brand) }
        return brands.filter { $0.1.name.map(EmailSettings.isValidHeaderText) == false }.map { .brandName(app: $0.0) }
    }
}

/// A link of a ``Brand``.
public struct BrandLink: Hashable, Sendable {
    public let text: String

    /// - Parameter acceptsEmail: whether `mailto:` with one email address is accepted.
    /// - Returns: `nil` unless the text is an https URL as ``CallbackURL`` describes it, which may have a fragment, or
    ///   an accepted email address.
    public init?(_ text: String, acceptsEmail: Bool = false) {
        let isURL = CallbackURL(String(text.prefix { $0 != "#" }), allowsLoopback: false) != nil
        let isUnambiguous = text.isUnambiguousURL(byteLimit: CallbackURL.byteLimit)
        guard isURL && isUnambiguous || acceptsEmail && Self.isEmail(text) else { return nil }
        self.text = text
    }

    /// - Parameter text: the ``text`` of a link that was stored.
    public init(stored text: String) {
        self.text = text
    }

    /// What a link must be, for an error message.
    public static let rule = "an https URL of at most \(CallbackURL.byteLimit) bytes, without user"
    public static let supportRule = "\(rule), or mailto: with an email address"

    public var isEmail: Bool { text.beginsExactly(with: "mailto:") }

    /// The address has no character that RFC 6068 §2 encodes in a URL.
    private static func isEmail(_ text: String) -> Bool {
        guard text.beginsExactly(with: "mailto:") else { return false }
        let address = String(text.dropFirst("mailto:".count))
        return EmailAddress(address) != nil && address.wholeMatch(of: /[A-Za-z0-9.@_+-]+/) != nil
    }
}

/// A colour of sRGB.
public struct RGBColor: Hashable, Sendable {
    public let red: UInt8
    public let green: UInt8
    public let blue: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// - Returns: `nil` unless the text is `#` and six hexadecimal digits.
    public init?(_ text: String) {
        guard text.wholeMatch(of: /#[0-9A-Fa-f]{6}/) != nil, let number = UInt32(text.dropFirst(), radix: 16) else {
            return nil
        }
        self.init(
            red: UInt8(truncatingIfNeeded: number >> 16), green: UInt8(truncatingIfNeeded: number >> 8),
            blue: UInt8(truncatingIfNeeded: number))
    }

    /// What a colour must be, for an error message.
    public static let rule = "# and six hexadecimal digits"

    /// `#` and six hexadecimal digits in lower case.
    public var text: String {
        let number = UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
        return "#" + String(number + 1 << 24, radix: 16).dropFirst()
    }
}
