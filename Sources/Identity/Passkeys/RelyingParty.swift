internal import Encoding

/// The passkey settings of a project, which its tenants share.
public struct PasskeySettings: Hashable, Sendable {
    public var isEnabled: Bool
    /// The host for which browsers and devices store the passkeys. `nil` until passkeys are enabled for the first time;
    /// see ``ProjectConfiguration/completePasskeySettings(ownHost:)``.
    public var rpID: String?
    /// Origins of other pages and apps of the project that may use the passkeys: `https` with the RP ID or one of its
    /// subdomains as the host.
    public var origins: [String]
    /// Origins of other sites, which the RP ID's host lists in `/.well-known/webauthn`.
    public var relatedOrigins: [String]
    /// Origins of pages that may embed a page with a passkey ceremony.
    public var topOrigins: [String]

    public init(
        isEnabled: Bool = false, rpID: String? = nil, origins: [String] = [], relatedOrigins: [String] = [],
        topOrigins: [String] = []
    ) {
        self.isEnabled = isEnabled
        self.rpID = rpID
        self.origins = origins
        self.relatedOrigins = relatedOrigins
        self.topOrigins = topOrigins
    }
}

/// What a project accepts in the ceremonies of passkeys.
public struct RelyingParty: Hashable, Sendable {
    public let id: String
    /// The accepted origins, compared as bytes.
    public let origins: [String]
    /// Origins that are accepted with every port. Empty in production.
    public let portlessOrigins: [String]
    public let topOrigins: [String]

    public init(id: String, origins: [String], portlessOrigins: [String] = [], topOrigins: [String] = []) {
        self.id = id
        self.origins = origins
        self.portlessOrigins = portlessOrigins
        self.topOrigins = topOrigins
    }
}

extension Realm {
    /// - Throws: ``PasskeyRefusal/notEnabled``.
    public func requirePasskeysAllowed() throws(PasskeyRefusal) { _ = try relyingParty() }

    /// - Throws: ``PasskeyRefusal/notEnabled``.
    func relyingParty() throws(PasskeyRefusal) -> RelyingParty {
        let settings = project.passkeys
        guard settings.isEnabled, let id = settings.rpID else { throw .notEnabled }
        let androidApps = project.apps.flatMap(\.settings.association.androidFingerprints)
            .compactMap { Hexadecimal.decode($0.filter { $0 != ":" }) }
            .map { "android:apk-key-hash:\(Base64URL.encode($0))" }
        return RelyingParty(
            id: id, origins: ["https://\(id)"] + settings.origins + settings.relatedOrigins + androidApps,
            portlessOrigins: project.modeRules.acceptsLocalPasskeys ? ["http://localhost"] : [],
            topOrigins: settings.topOrigins)
    }
}

extension RelyingParty {
    /// Returns the relying party that accepts only pages of `origin`; `nil` accepts all its origins.
    ///
    /// - Throws: ``PasskeyRefusal/notEnabled`` if pages of `origin` cannot use the passkeys.
    func limited(toPagesOf origin: String?) throws(PasskeyRefusal) -> RelyingParty {
        guard let origin else { return self }
        guard accepts(pagesOf: origin) else { throw .notEnabled }
        return RelyingParty(id: id, origins: [origin])
    }

    /// Whether pages of `origin` can use the passkeys: the gateway accepts the origin, and so do browsers.
    func accepts(pagesOf origin: String) -> Bool {
        origins.contains { $0.isExactly(origin) }
            // Browsers accept a page without `https` only on its own host.
            || id == "localhost"
                && portlessOrigins.contains { origin.isExactly($0) || origin.beginsExactly(with: $0 + ":") }
    }
}

extension Realm {
    /// Whether pages of `origin` can use the passkeys of the project.
    public func acceptsPasskeys(on origin: String) -> Bool {
        // A project without passkeys has no relying party.
        (try? relyingParty())?.accepts(pagesOf: origin) == true
    }

    /// Whether the gateway's pages of `origin` offer passkeys to users of `app`.
    public func offersPasskeys(to app: App, on origin: String) -> Bool {
        // The only refusal is that of an app whose users sign in with one service.
        acceptsPasskeys(on: origin) && (try? LoginServices.requireNotClientOfOneService(app)) != nil
    }
}

/// The documents that the host of a project's RP ID publishes.
public struct PublishedRelyingParty: Hashable, Sendable {
    public let rpID: String
    /// The other sites whose pages may use the passkeys of the host.
    public let relatedOrigins: [String]

    public init(rpID: String, relatedOrigins: [String]) {
        self.rpID = rpID
        self.relatedOrigins = relatedOrigins
    }
}

extension PasskeySettings {
    /// The maximum number of values in each list.
    static let listLimit = 20
    /// The maximum number of different registrable labels in ``relatedOrigins``: browsers ignore further ones (WebAuthn
    /// Level 3 §5.11.1).
    static let relatedLabelLimit = 5

    /// Whether the text is an origin of an `https` page: a host with an optional port, without path and slash.
    static func isOrigin(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), text.utf8.starts(with: "https://".utf8) else { return false }
        let host = String(decoding: parts[1].dropFirst(2), as: UTF8.self)
        let port = parts.count == 3 ? Int(String(decoding: parts[2], as: UTF8.self)) : nil
        // A browser omits the default port, so an origin with it would never be equal.
        let portIsValid =
            parts.count == 2
            || port.map { (1...65535).contains($0) && $0 != 443 && "\($0)".utf8.elementsEqual(parts[2]) } ?? false
        return portIsValid && Project.isHostName(host) && !host.utf8.contains { (0x41...0x5A).contains($0) }
    }

    private static func host(of origin: String) -> String {
        String(origin.dropFirst("https://".count).prefix { $0 != ":" })
    }

    /// Whether the RP ID is a host name with at least two labels, in lower case. `localhost` and its subdomains are
    /// accepted only in development, because every program on a user's device could use their passkeys.
    static func isRPID(_ text: String, acceptsLoopback: Bool) -> Bool {
        guard Project.isHostName(text), text == text.lowercased() else { return false }
        if text == "localhost" || text.endsExactly(with: ".localhost") { return acceptsLoopback }
        return text.utf8.contains(UInt8(ascii: ".")) && text.contains { $0.isLetter }
    }

    /// The problems of the settings.
    ///
    /// - Parameter acceptsLoopback: whether the RP ID may be `localhost`.
    func problems(acceptsLoopback: Bool) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        if let rpID, !Self.isRPID(rpID, acceptsLoopback: acceptsLoopback) { problems.append(.passkeyRPID) }
        if isEnabled, rpID == nil { problems.append(.passkeyRPID) }
        let listsAreValid = [origins, relatedOrigins, topOrigins].allSatisfy {
            $0.count <= Self.listLimit && Set($0).count == $0.count && $0.allSatisfy(Self.isOrigin)
        }
        if !listsAreValid {
            problems.append(.passkeyOrigins)
        }
        if let rpID, !origins.map(Self.host).allSatisfy({ $0 == rpID || $0.endsExactly(with: ".\(rpID)") }) {
            problems.append(.foreignPasskeyOrigin)
        }
        // Browsers count the label before the public suffix. Without a list of these suffixes, the gateway counts whole
        // hosts, whose number is at least as high.
        if Set(relatedOrigins.map(Self.host)).count > Self.relatedLabelLimit { problems.append(.tooManyRelatedOrigins) }
        return problems
    }
}

extension PasskeySettings {
    /// The settings of a project whose passkeys are for the pages of `origin` alone.
    ///
    /// - Returns: `nil` if the host of `origin` cannot be an RP ID.
    public init?(forPagesOf origin: String) {
        let origin = origin.lowercased()
        let host = Self.host(of: origin)
        guard Self.isOrigin(origin), Self.isRPID(host, acceptsLoopback: false) else { return nil }
        self.init(isEnabled: true, rpID: host, origins: origin.isExactly("https://\(host)") ? [] : [origin])
    }
}

extension ProjectConfiguration {
    /// Sets the RP ID of enabled passkeys that has none to the host of the gateway. It is stored, because passkeys
    /// cannot be used under another RP ID later.
    public mutating func completePasskeySettings(ownHost: String?) {
        guard realm.project.passkeys.isEnabled, realm.project.passkeys.rpID == nil else { return }
        realm.project.passkeys.rpID = ownHost
    }
}
