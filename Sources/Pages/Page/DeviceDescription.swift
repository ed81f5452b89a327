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
    static func text(userAgent: String) -> LocalizedString {
        guard let description = DeviceDescription(userAgent: userAgent) else {
            return LocalizedString("Unknown device", "不明な端末")
        }
        let (product, device) = (description.product.name, description.device.name)
        return LocalizedString(
            "\(product.english) on \(device.english)", "\(product.japanese)（\(device.japanese)）")
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

    fileprivate var name: LocalizedString {
        switch self {
        case .edge: LocalizedString("Edge", "Edge")
        case .opera: LocalizedString("Opera", "Opera")
        case .samsungInternet: LocalizedString("Samsung Internet", "Samsung Internet")
        case .firefox: LocalizedString("Firefox", "Firefox")
        case .chrome: LocalizedString("Chrome", "Chrome")
        case .safari: LocalizedString("Safari", "Safari")
        case .browser: LocalizedString("Browser", "ブラウザー")
        case .app: LocalizedString("App", "アプリ")
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

    fileprivate var name: LocalizedString {
        switch self {
        case .iPhone: LocalizedString("iPhone", "iPhone")
        case .iPad: LocalizedString("iPad", "iPad")
        case .appleTV: LocalizedString("Apple TV", "Apple TV")
        case .appleWatch: LocalizedString("Apple Watch", "Apple Watch")
        case .appleVision: LocalizedString("Apple Vision Pro", "Apple Vision Pro")
        case .mac: LocalizedString("Mac", "Mac")
        case .windows: LocalizedString("Windows", "Windows")
        case .chromeOS: LocalizedString("ChromeOS", "ChromeOS")
        case .android: LocalizedString("Android", "Android")
        case .linux: LocalizedString("Linux", "Linux")
        case .apple: LocalizedString("an Apple device", "Appleの端末")
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
