/// All that is configured of one project: it is changed, checked and stored as a whole.
public struct ProjectConfiguration: Sendable {
    public var project: Project
    /// Shown to operators.
    public var name: String
    /// In the order of their making.
    public var apps: [ConfiguredApp]
    /// Private keys and client secrets to be kept from now on. An empty one takes away what is kept.
    public private(set) var newSecrets: [ProviderID: Secret] = [:]

    public init(project: Project, name: String, apps: [ConfiguredApp]) {
        self.project = project
        self.name = name
        self.apps = apps
    }

    /// Of a provider that is configured.
    public mutating func set(_ secret: Secret, of provider: ProviderID) {
        guard let index = project.providers.firstIndex(where: { $0.provider == provider }) else { return }
        project.providers[index].hasSecret = !secret.isEmpty
        newSecrets[provider] = secret
    }

    /// Says that the new secret of `provider` is the one that is kept already.
    public mutating func dropSecret(of provider: ProviderID) {
        newSecrets[provider] = nil
    }

    /// Puts `settings` in the place of what was configured of their provider, if anything was.
    public mutating func set(_ settings: ProviderSettings) {
        if let index = project.providers.firstIndex(where: { $0.provider == settings.provider }) {
            project.providers[index] = settings
        } else {
            project.providers.append(settings)
        }
    }

    public mutating func remove(_ provider: ProviderID) {
        project.providers.removeAll { $0.provider == provider }
        newSecrets[provider] = nil
    }

    public func app(_ id: ID<App>) -> ConfiguredApp? {
        apps.first { $0.app.id == id }
    }

    public mutating func set(_ app: ConfiguredApp) {
        if let index = apps.firstIndex(where: { $0.app.id == app.app.id }) {
            apps[index] = app
        } else {
            apps.append(app)
        }
    }

    public mutating func remove(_ app: ID<App>) {
        apps.removeAll { $0.app.id == app }
    }
}

/// An app as operators see it.
public struct ConfiguredApp: Hashable, Sendable {
    public var app: App
    public var name: String

    public init(app: App, name: String) {
        self.app = app
        self.name = name
    }
}

extension Project {
    /// How many domains may be authorized.
    public static let domainLimit = 500

    /// Whether `domain` is a host name (RFC 1123 §2.1), without scheme, port or path.
    public static func canAuthorize(_ domain: String) -> Bool {
        domain.utf8.count <= 253
            && domain.wholeMatch(of: /[A-Za-z0-9]([A-Za-z0-9-]{0,62})(\.[A-Za-z0-9]([A-Za-z0-9-]{0,62}))*/) != nil
    }
}
