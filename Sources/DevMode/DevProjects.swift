internal import API
internal import Crypto
internal import Gateway
package import Identity
package import Postgres
internal import Providers
internal import Storage

/// The projects of `dev`, created on first use.
package struct DevProjects: Sendable {
    /// The maximum number of projects, and of tenants per project, because any request can create one.
    static let limit = 1000
    /// The earliest time that the clock can be set to. The keys of `dev` sign from this time on.
    package static let earliestClockTime = Instant(seconds: 0)

    package let pool: Pool
    let supportedProviders: SupportedProviders
    let masterKeys: MasterKeys
    let clock: WallClock
    let defaultID: ID<Project>
    /// Called with every project and every tenant that a look-up returns.
    let onLookup: @Sendable (Realm) -> Void

    var store: ProjectStore { ProjectStore(pool: pool, supporting: supportedProviders) }

    /// Returns the realm of a project, which is created on first use.
    ///
    /// - Parameter id: `nil` for the default project.
    /// - Returns: `nil` if the ID is invalid or ``limit`` is reached.
    func realm(ofProject id: ID<Project>?) async throws -> Realm? {
        guard var realm = try await findOrCreate(id ?? defaultID) else { return nil }
        realm.project.hasTenants = true
        realm.project.modeRules = .emulator
        onLookup(realm)
        return realm
    }

    func contains(_ id: ID<Project>) async throws -> Bool { try await store.realm(ofProject: id) != nil }

    /// Returns the realm of a tenant. On first use, creates the tenant with all sign-in methods enabled, like
    /// Firebase's emulator. Those of ``DevProviders/settings`` that the tenant has not configured are added.
    ///
    /// - Parameters:
    ///   - found: the tenant's realm if it exists.
    ///   - realm: the realm of the tenant's project.
    /// - Returns: `nil` if the tenant was deleted or ``limit`` is reached.
    func tenant(existing found: Realm?, orCreate id: ID<Tenant>, of realm: Realm) async throws -> Realm? {
        let created = found == nil ? try await create(id, of: realm.project.id) : nil
        guard var tenant = found ?? created else { return nil }
        tenant.providers += DevProviders.settings.filter { [tenant] in tenant.settings(of: $0.provider) == nil }
        tenant.project.modeRules = .emulator
        onLookup(tenant)
        return tenant
    }

    private func create(_ id: ID<Tenant>, of project: ID<Project>) async throws -> Realm? {
        let tenants = PostgresTenantStore(pool: pool, supporting: supportedProviders)
        guard try await tenants.tenants(after: nil, limit: Self.limit, of: project).count < Self.limit else {
            return nil
        }
        var settings = TenantSettings()
        (settings.allowsPasswords, settings.allowsEmailLinks, settings.allowsAnonymous) = (true, true, true)
        settings.secondFactors = ModeRules.emulatorPolicy.secondFactors
        let tenant = Tenant(id: id, parent: project, settings: settings)
        do {
            try await tenants.create(tenant, by: .system, at: clock.now())
        } catch StoreConflict.taken(.id) {
            // A concurrent request may have created the tenant first, or the tenant was deleted.
        }
        return try await store.realm(tenant.realm)
    }

    private func findOrCreate(_ id: ID<Project>) async throws -> Realm? {
        if let realm = try await store.realm(ofProject: id) { return realm }
        guard ProjectDraft.isValidID(id.rawValue), try await store.projectRealms().count < Self.limit else {
            return nil
        }
        // The result is ignored, because a concurrent request may have created the project first.
        _ = try await ProjectDraft(devProject: id.rawValue)
            .create(in: pool, under: masterKeys, by: .system, at: clock.now(), signsFrom: Self.earliestClockTime)
        return try await store.realm(ofProject: id)
    }
}

extension ProjectDraft {
    /// A draft of a project with the policy and domains of ``ModeRules/emulator`` and the providers of
    /// ``DevProviders/settings``.
    package init(devProject id: String) throws {
        try self.init(
            id: id, name: id, profile: .firebase, policy: ModeRules.emulatorPolicy, algorithm: .es256,
            domains: ModeRules.emulatorDomains, supporting: .live)
        realm.project.passkeys = PasskeySettings(isEnabled: true, rpID: "localhost")
        realm.providers = DevProviders.settings
        secrets = try DevProviders.secrets()
    }
}

extension ModeRules {
    /// The rules of Firebase's emulator.
    static let emulator: ModeRules = {
        var rules = ModeRules()
        rules.defaultPolicy = emulatorPolicy
        rules.openDomains = emulatorDomains
        rules.acceptsHTTPPages = true
        rules.acceptsLocalPasskeys = true
        rules.createsTenants = true
        rules.rejectsRepeatedLinks = true
        rules.hidesAccountsFromBackends = true
        rules.acceptsUnimplementedMembers = true
        rules.listsPhoneCodes = true
        rules.hooksRevokeVerifications = true
        rules.pseudoLocales = Language.pseudoLocales
        return rules
    }()

    /// Firebase's defaults, except that email enumeration protection is off, and sign-in by telephone number and second
    /// factors are enabled, as in Firebase's emulator.
    static let emulatorPolicy: Policy = {
        var policy = Policy(.firebase)
        policy.emailEnumerationProtection = false
        policy.allowsPhoneNumbers = true
        policy.secondFactors = SecondFactorPolicy(state: .enabled, allowsTOTP: true, allowsSMS: true)
        return policy
    }()

    static let emulatorDomains = ["localhost"]
}

/// The initial settings of providers in every project of `dev`. The IDs are invented.
enum DevProviders {
    static let settings =
        [
            ProviderSettings(
                provider: .apple, isEnabled: true, clientIDs: ["com.example.app", "com.example.web"], hasSecret: true,
                apple: AppleSettings(teamID: "DEVTEAM123", keyID: "DEVKEY1234"))
        ]
        + DevSimulators.otherTypes.map {
            ProviderSettings(provider: $0.provider, isEnabled: true, clientIDs: [$0.clientID])
        }

    /// Generates a new private key for Apple.
    static func secrets() throws -> [ProviderID: Secret] {
        [.apple: Secret(try PrivateKey.generate(.es256).pem)]
    }
}
