/// The configuration of a project, or of one of its tenants, which is changed, checked and stored as a whole. A tenant
/// has the name and the apps of its project.
public struct ProjectConfiguration: Sendable {
    public var realm: Realm
    /// The display name, shown to administrators, and to users in emails.
    public var name: String
    /// In the order of creation.
    public var apps: [ConfiguredApp] {
        didSet { realm.project.apps = apps.map(\.app) }
    }
    /// The problems that existed before the latest edit and still exist.
    public var warnings: [ConfigurationProblem] = []
    /// Private keys and client secrets to store. An empty secret deletes the stored one.
    public private(set) var newSecrets: [ProviderID: Secret] = [:]
    /// The secret of the sender of text messages to store; see ``SMSSettings/hasSecret``. An empty secret deletes the
    /// stored one.
    public private(set) var newSMSSecret: Secret?

    public init(realm: Realm, name: String, apps: [ConfiguredApp]) {
        self.realm = realm
        self.name = name
        self.apps = apps
        self.realm.project.apps = apps.map(\.app)
    }

    /// Sets the secret of a configured provider. Does nothing if `provider` is not configured.
    public mutating func set(_ secret: Secret, of provider: ProviderID) {
        guard let index = realm.providers.firstIndex(where: { $0.provider == provider }) else { return }
        realm.providers[index].hasSecret = !secret.isEmpty
        newSecrets[provider] = secret
    }

    /// Removes the stored secrets that the edit would send to another server, unless the edit sets them anew. Otherwise
    /// an administrator who does not know a secret could read it at the new server.
    ///
    /// - Parameter before: the configuration before the edit.
    public mutating func removeSecretsOfFormerServers(since before: ProjectConfiguration) {
        let (old, new) = (before.realm.project.sms, realm.project.sms)
        if old.hasSecret, newSMSSecret == nil,
            (old.url, old.format, old.username) != (new.url, new.format, new.username)
        {
            setSMS(Secret(""))
        }
        for settings in realm.providers where settings.hasSecret && newSecrets[settings.provider] == nil {
            let former = before.realm.settings(of: settings.provider)
            if former?.openID?.issuer != settings.openID?.issuer { set(Secret(""), of: settings.provider) }
        }
    }

    /// Sets the secret of the sender of text messages: signing secrets separated by a space, or the password of a form.
    public mutating func setSMS(_ secret: Secret) {
        realm.project.sms.hasSecret = !secret.isEmpty
        newSMSSecret = secret
    }

    /// Discards the new secret of the sender, because the same secret is already stored.
    public mutating func discardNewSMSSecret() { newSMSSecret = nil }

    /// Discards the new secret of `provider`, because the same secret is already stored.
    public mutating func discardNewSecret(of provider: ProviderID) {
        newSecrets[provider] = nil
    }

    /// Adds the settings of a provider, or replaces its current ones.
    public mutating func set(_ settings: ProviderSettings) {
        if let index = realm.providers.firstIndex(where: { $0.provider == settings.provider }) {
            realm.providers[index] = settings
        } else {
            realm.providers.append(settings)
        }
    }

    /// Removes the settings of a provider and its new secret.
    public mutating func remove(_ provider: ProviderID) {
        realm.providers.removeAll { $0.provider == provider }
        newSecrets[provider] = nil
    }

    public func app(_ id: ID<App>) -> ConfiguredApp? {
        apps.first { $0.app.id == id }
    }

    /// Adds an app, or replaces the app with the same ID.
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

/// An app with its display name for administrators.
public struct ConfiguredApp: Hashable, Sendable {
    public var app: App
    public var name: String

    public init(app: App, name: String) {
        self.app = app
        self.name = name
    }
}

extension Project {
    /// The maximum number of authorized domains.
    public static let domainLimit = 500

    /// Whether `domain` has the form of a host name (RFC 1123 §2.1), without scheme, port or path. Accepts a hyphen at
    /// the end of a label too, although the RFC does not.
    public static func isHostName(_ domain: String) -> Bool {
        domain.utf8.count <= 253
            && domain.wholeMatch(of: /[A-Za-z0-9]([A-Za-z0-9-]{0,62})(\.[A-Za-z0-9]([A-Za-z0-9-]{0,62}))*/) != nil
    }
}
