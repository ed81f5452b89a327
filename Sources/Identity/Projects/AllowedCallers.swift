internal import Encoding

/// The Android packages and the web pages that may use the API keys of an app. For Apple's platforms, the bundle IDs of
/// ``AppSettings/bundleIDs`` may. These restrictions prevent the use of a key in the wrong app by mistake. They do not
/// stop an attacker, because any client can send any header.
public struct AllowedCallers: Hashable, Sendable {
    /// Names of Android packages.
    public var androidPackages: [String]
    /// SHA-1 fingerprints of the certificates that sign the packages: 40 hexadecimal digits, colons are ignored.
    public var androidCertificates: [String]
    /// Hosts of pages; `*.` at the beginning stands for every subdomain.
    public var webDomains: [String]

    public init(androidPackages: [String] = [], androidCertificates: [String] = [], webDomains: [String] = []) {
        self.androidPackages = androidPackages
        self.androidCertificates = androidCertificates
        self.webDomains = webDomains
    }
}

/// Why a request with a valid API key was rejected: the request states another app, or states none although the policy
/// requires it.
public enum CallerRefusal: Refusal, Hashable {
    /// The associated values are as received, `nil` if the request states none.
    case ios(bundleID: String?)
    case android(package: String?)
    case web(referrer: String?)

    public var code: ErrorCode {
        switch self {
        case .ios: .apiKeyIOSAppBlocked
        case .android: .apiKeyAndroidAppBlocked
        case .web: .apiKeyHTTPReferrerBlocked
        }
    }

    /// The messages of Firebase's servers.
    public var message: String {
        switch self {
        case .ios(let bundleID): "Requests from this iOS client application \(Self.shown(bundleID)) are blocked."
        case .android(let package): "Requests from this Android client application \(Self.shown(package)) are blocked."
        case .web(let referrer): "Requests from referer \(Self.shown(referrer)) are blocked."
        }
    }

    public var metadata: [String: String] {
        let stated =
            switch self {
            case .ios(let bundleID): ("iosBundleId", bundleID)
            case .android(let package): ("androidPackage", package)
            case .web(let referrer): ("httpReferrer", referrer)
            }
        return ["service": "identitytoolkit.googleapis.com", stated.0: Self.shown(stated.1)]
    }

    /// The caller chooses the value, so it is shortened, and characters other than printable ASCII are replaced.
    private static func shown(_ text: String?) -> String {
        guard let text else { return "<empty>" }
        return String(text.unicodeScalars.prefix(256).map { (0x20...0x7E).contains($0.value) ? Character($0) : "?" })
    }
}

extension App {
    /// Checks the headers in which Firebase's clients name their app. A request that names no app is accepted unless
    /// `isRequired`. Reads no header and allocates nothing if the app has no restrictions, because this runs on every
    /// request.
    ///
    /// - Parameters:
    ///   - isRequired: ``Policy/requiresCallerHeader``.
    ///   - header: returns the value of the header with this name.
    public func checkCaller(isRequired: Bool, header: (String) -> String?) throws(CallerRefusal) {
        let callers = settings.callers
        // Thrown if the request states no app although one is required.
        var refusalOfUnstated: CallerRefusal?
        var isStated = false
        if !settings.bundleIDs.isEmpty {
            if let stated = header("X-Ios-Bundle-Identifier"), !stated.isEmpty {
                guard settings.bundleIDs.contains(where: { stated.isOrExtends(bundleID: $0) }) else {
                    throw .ios(bundleID: stated)
                }
                isStated = true
            }
            refusalOfUnstated = .ios(bundleID: nil)
        }
        if !callers.androidPackages.isEmpty {
            isStated = try callers.requireAndroid(isRequired: isRequired, header: header) || isStated
            refusalOfUnstated = refusalOfUnstated ?? .android(package: nil)
        }
        if !callers.webDomains.isEmpty {
            isStated = try callers.requireWeb(header: header) || isStated
            refusalOfUnstated = refusalOfUnstated ?? .web(referrer: nil)
        }
        if isRequired, !isStated, let refusalOfUnstated { throw refusalOfUnstated }
    }
}

extension AllowedCallers {
    /// A package without a certificate is rejected only if `isRequired` is true and the app lists certificates.
    ///
    /// - Returns: whether the request states a package.
    fileprivate func requireAndroid(
        isRequired: Bool, header: (String) -> String?
    ) throws(CallerRefusal) -> Bool {
        let package = header("X-Android-Package").flatMap { $0.isEmpty ? nil : $0 }
        let certificate = header("X-Android-Cert").flatMap { $0.isEmpty ? nil : $0 }
        if let package, !androidPackages.contains(where: { $0.utf8.elementsEqual(package.utf8) }) {
            throw .android(package: package)
        }
        guard !androidCertificates.isEmpty else { return package != nil }
        if let certificate {
            let digits = certificate.hexadecimalDigits
            guard androidCertificates.contains(where: { $0.hexadecimalDigits == digits }) else {
                throw .android(package: package)
            }
        }
        if isRequired, package != nil, certificate == nil { throw .android(package: package) }
        return package != nil
    }

    /// Browsers state the page in `Origin`, or in `Referer` if `Origin` is absent or `null`.
    ///
    /// - Returns: whether the request states a page.
    fileprivate func requireWeb(header: (String) -> String?) throws(CallerRefusal) -> Bool {
        let origin = header("Origin").flatMap { $0.isEmpty || $0 == "null" ? nil : $0 }
        guard let stated = origin ?? header("Referer").flatMap({ $0.isEmpty ? nil : $0 }) else { return false }
        guard let host = stated.hostOfURL, webDomains.contains(where: { host.matchesDomain($0) }) else {
            throw .web(referrer: stated)
        }
        return true
    }
}

extension String {
    /// Whether this is the app's bundle ID, or the bundle ID of one of its extensions.
    fileprivate func isOrExtends(bundleID: String) -> Bool {
        guard utf8.starts(with: bundleID.utf8) else { return false }
        let remaining = utf8.dropFirst(bundleID.utf8.count)
        return remaining.isEmpty || remaining.first == UInt8(ascii: ".")
    }

    fileprivate var hexadecimalDigits: String { filter { $0 != ":" }.lowercased() }

    /// The host of an http or https URL, in lower case and without port. `nil` for other text, and for a URL with a
    /// user, which no browser sends.
    fileprivate var hostOfURL: String? {
        let pattern = /https?:\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]*)?(?:[\/?#].*)?/
        guard let match = wholeMatch(of: pattern) else { return nil }
        return match.1.lowercased()
    }

    fileprivate func matchesDomain(_ domain: String) -> Bool {
        let domain = domain.lowercased()
        return domain.beginsExactly(with: "*.") ? endsExactly(with: domain.dropFirst()) : isExactly(domain)
    }
}
