/// The identity providers of an installation. The module `Providers` lists those of this release.
public struct SupportedProviders: Hashable, Sendable {
    /// The built-in providers, in the order of their IDs.
    public let all: [Provider]
    private let byID: [ProviderID: Provider]

    /// - Parameter builtIn: the providers besides the generic OpenID Connect providers.
    public init(_ builtIn: [Provider]) {
        all = builtIn.sorted { $0.id.rawValue < $1.id.rawValue }
        byID = Dictionary(uniqueKeysWithValues: builtIn.map { ($0.id, $0) })
    }

    /// No built-in provider; for readers of projects that use only their policies.
    public static let none = SupportedProviders([])

    /// Returns the provider with this ID; for `oidc.` and a name, ``Provider/genericOpenID``.
    ///
    /// - Returns: `nil` for the ID of an unknown provider, and for other sign-in methods.
    public subscript(_ id: ProviderID) -> Provider? {
        byID[id] ?? (id.isGenericOpenID ? .genericOpenID : nil)
    }

    /// - Returns: `nil` for a generic OpenID Connect provider too.
    public func builtIn(_ id: ProviderID) -> Provider? { byID[id] }

    /// Returns the built-in provider to which an issuer belongs. Compares only the host, because an issuer with another
    /// path would be the same provider.
    func builtIn(issuing issuer: String) -> Provider? {
        guard let host = IssuerAddress(issuer)?.host else { return nil }
        return all.first { $0.issuers.contains { IssuerAddress($0)?.host == host } }
    }

    /// Whether a project can configure a provider with this ID.
    public func canConfigure(_ id: ProviderID) -> Bool { byID[id] != nil || id.isValidOpenIDName }

    /// Whether an app may list the method in ``AppSettings/signInMethods``.
    func canList(_ id: ProviderID) -> Bool {
        [.anonymous, .passkey, .password, .phone].contains(id) || canConfigure(id)
    }

    /// The IDs of the built-in providers that have a setting, for messages to operators.
    public func ids(with setting: Provider.Setting) -> [String] {
        all.filter { $0.settings.contains(setting) }.map(\.id.rawValue)
    }
}

extension Realm {
    /// The name of a provider that users know: of a built-in one, or as the operator named an OpenID Connect provider.
    ///
    /// - Returns: also `nil` for other sign-in methods.
    public func displayName(of provider: ProviderID) -> String? {
        project.supportedProviders.builtIn(provider)?.displayName ?? settings(of: provider)?.openID?.displayName
    }
}

extension [String] {
    /// The texts as an enumeration: `a`, `a or b`, `a, b or c`.
    public func joined(beforeLast conjunction: String) -> String {
        guard count > 1, let last else { return first ?? "" }
        return "\(dropLast().joined(separator: ", ")) \(conjunction) \(last)"
    }
}
