/// The browser or app of a session and its device, as a page shows them.
///
/// A client chooses its `User-Agent`, so an attacker could write a message to the owner of the account there. Pages
/// therefore never show the text of that header, only the names below.
struct DeviceDescription: Equatable, Sendable {
    let product: Product
    let device: Device

    /// In the order of the search: Edge also names Chrome, and Chrome also names Safari.
    enum Product: Sendable, CaseIterable {
        case edge, opera, samsungInternet, firefox, chrome, safari
        /// A browser without a case of its own.
        case browser
        /// Any program that does not claim to be a browser.
        case app
    }

    /// In the order of the search: an iPhone also names Mac OS X, and Android also names Linux.
    enum Device: Sendable, CaseIterable {
        case iPhone, iPad, appleTV, appleWatch, appleVision, mac, windows, chromeOS, android, linux
        /// A device of Apple that the header does not name.
        case apple
    }

    /// - Parameter userAgent: products and comments (RFC 9110 §10.1.5). If there is a comment, the first one names the
    ///   device.
    /// - Returns: `nil` if the text names no known device.
    init?(userAgent: String) {
        let text = userAgent.utf8
        let comment = text.drop { $0 != UInt8(ascii: "(") }.dropFirst().prefix { $0 != UInt8(ascii: ")") }
        let words = (comment.isEmpty ? text[...] : comment).split { !$0.isASCIILetter }
        guard let device = Device.allCases.first(where: { $0.isNamed(in: words) }) else { return nil }
        self.device = device
        guard text.starts(with: "Mozilla/".utf8) else {
            product = .app
            return
        }
        let products = text[comment.endIndex...].split(separator: UInt8(ascii: " "))
            .map { $0.prefix { $0 != UInt8(ascii: "/") } }
        product = Product.allCases.first { $0.isNamed(in: products) } ?? .browser
    }

    /// For example, "Safari on iPhone".
    static func text(userAgent: String) -> Text {
        guard let description = DeviceDescription(userAgent: userAgent) else { return .page(.unknownDevice) }
        return .page(
            .productOnDevice, [.product: description.product.name, .device: description.device.name])
    }
}

extension DeviceDescription.Product {
    private var tokens: [String] {
        switch self {
        case .edge: ["Edg", "EdgA", "EdgiOS", "Edge"]
        case .opera: ["OPR", "OPT", "OPiOS"]
        case .samsungInternet: ["SamsungBrowser"]
        case .firefox: ["Firefox", "FxiOS"]
        case .chrome: ["Chrome", "CriOS"]
        case .safari: ["Safari"]
        case .browser, .app: []
        }
    }

    fileprivate var name: TextValue {
        switch self {
        case .edge: .literal("Edge")
        case .opera: .literal("Opera")
        case .samsungInternet: .literal("Samsung Internet")
        case .firefox: .literal("Firefox")
        case .chrome: .literal("Chrome")
        case .safari: .literal("Safari")
        case .browser: .text(.page(.browser))
        case .app: .text(.page(.appProduct))
        }
    }

    fileprivate func isNamed(in words: [Substring.UTF8View]) -> Bool { tokens.areNamed(in: words) }
}

extension DeviceDescription.Device {
    private var words: [String] {
        switch self {
        case .iPhone: ["iPhone"]
        case .iPad: ["iPad"]
        case .appleTV: ["AppleTV", "tvOS"]
        case .appleWatch: ["watchOS"]
        case .appleVision: ["visionOS"]
        case .mac: ["Macintosh", "macOS"]
        case .windows: ["Windows"]
        case .chromeOS: ["CrOS"]
        case .android: ["Android"]
        case .linux: ["Linux"]
        case .apple: ["iOS", "Darwin"]
        }
    }

    fileprivate var name: TextValue {
        switch self {
        case .iPhone: .literal("iPhone")
        case .iPad: .literal("iPad")
        case .appleTV: .literal("Apple TV")
        case .appleWatch: .literal("Apple Watch")
        case .appleVision: .literal("Apple Vision Pro")
        case .mac: .literal("Mac")
        case .windows: .literal("Windows")
        case .chromeOS: .literal("ChromeOS")
        case .android: .literal("Android")
        case .linux: .literal("Linux")
        case .apple: .text(.page(.appleDevice))
        }
    }

    fileprivate func isNamed(in words: [Substring.UTF8View]) -> Bool { self.words.areNamed(in: words) }
}

extension [String] {
    fileprivate func areNamed(in words: [Substring.UTF8View]) -> Bool {
        contains { name in words.contains { $0.elementsEqual(name.utf8) } }
    }
}

extension UInt8 {
    fileprivate var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}
