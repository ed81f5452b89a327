internal import API
internal import Crypto
internal import Encoding
package import EventLoop
package import Identity
internal import Postgres
internal import Storage
package import Tokens

/// Finds the realm of a project by the project's ID. The ID `nil` stands for the project of requests that name no
/// project.
package typealias ProjectLookup = @Sendable (ID<Project>?) async throws -> Realm?

/// Caches projects, tenants, apps, API keys, service keys and signing keys for ``lifetime``. Each event loop has its
/// own cache.
package struct ConfigurationCache: Sendable {
    /// The maximum time for which a revoked key, or a configuration that another process has replaced, remains in
    /// effect.
    static let lifetime: Duration = .seconds(5)

    /// The realms of projects by the project's ID. The ID `nil` stands for the only project of an installation with one
    /// project, or for the project that `lookup` returns.
    package let projects: Cache<ID<Project>?, Realm?>
    private let tenants: Cache<ID<Realm>, Realm?>
    let keyRings: Cache<ID<Project>, KeyRing>
    /// Apps with the realms of their projects, by the hash of an API key.
    private let callingApps: Cache<[UInt8], CallingApp?>
    /// Service keys (credentials of backends) by the hash of the secret, for requests of backends.
    private let administrators: Cache<[UInt8], ServiceKeyStore.FoundKey?>
    /// The public keys of service keys by ID and project, for the verification of custom tokens.
    private let publicServiceKeys: Cache<ServiceKeyName, ExpiringKey?>
    private let serviceKeyUse: ServiceKeyUsageTracker
    private let emulatorClients: EmulatorClientReporter
    private let clock: WallClock
    private let loop: Loop
    private let outageLimit: Duration
    private let store: ConfigurationStore
    private let apps: Cache<ID<Project>, [App]>
    private let appsWithDomains: Cache<Int, [AssociatedApp]>
    private let publishedRelyingParties: Cache<Int, [PublishedRelyingParty]>
    /// Loads a realm from the database; `nil` if realms are not cached.
    private let loadStored: (@Sendable (ID<Realm>) async throws -> Realm?)?

    private struct ExpiringKey {
        let key: PublicServiceKey
        let expiresAt: Instant?
    }

    /// - Parameters:
    ///   - supportedProviders: the providers of all projects.
    ///   - operators: the project of the people who use the console; `nil` if the gateway has no console.
    ///   - serviceKeyUse: records the use of service keys.
    ///   - emulatorClients: counts and reports each request of a client that takes the gateway for an emulator.
    ///   - lifetime: ``lifetime``, or another duration in tests.
    ///   - lookup: finds projects; if set, projects, tenants and apps are not cached. `nil` finds projects in the
    ///     database and caches them.
    ///   - outageLimit: the maximum age of a configuration that is used while the database is unavailable. Keys of
    ///     backends are not used then.
    ///   - acceptsLoopbackIssuers: see ``ConfigurationRules``.
    ///   - acceptsTenantsWithoutApple: see ``ConfigurationRules``.
    init(
        pool: Pool, supporting supportedProviders: SupportedProviders, masterKeys: MasterKeys, clock: WallClock,
        operators: ID<Project>? = nil, serviceKeyUse: ServiceKeyUsageTracker, emulatorClients: EmulatorClientReporter,
        lifetime: Duration,
        lookup: ProjectLookup? = nil,
        outageLimit: Duration = .zero,
        acceptsLoopbackIssuers: Bool = false, acceptsTenantsWithoutApple: Bool = false, publicURL: String
    ) {
        self.clock = clock
        loop = pool.loop
        self.serviceKeyUse = serviceKeyUse
        self.emulatorClients = emulatorClients
        store = ConfigurationStore(
            pool: pool,
            rules: .live(
                supporting: supportedProviders, acceptsLoopbackIssuers: acceptsLoopbackIssuers,
                acceptsTenantsWithoutApple: acceptsTenantsWithoutApple, publicURL: publicURL),
            secrets: .sealing(under: masterKeys), clock: clock)
        let projects = ProjectStore(pool: pool, supporting: supportedProviders)
        let signingKeys = SigningKeyStore(pool: pool)
        let apiKeys = APIKeyStore(pool: pool)
        let serviceKeys = ServiceKeyStore(pool: pool)
        let projectLifetime = lookup == nil ? lifetime : .zero
        let limit = lookup == nil ? outageLimit : .zero
        let isOutage: @Sendable (any Error) -> Bool = { $0 is StoreUnavailable }
        self.outageLimit = limit
        self.projects = Cache(lifetime: projectLifetime, outageLimit: limit, isOutage: isOutage) { id in
            if let lookup { return try await lookup(id)?.protectingRoles(of: operators) }
            guard let id else { return try await projects.realmOfSingleProject()?.protectingRoles(of: operators) }
            return try await projects.realm(ofProject: id)?.protectingRoles(of: operators)
        }
        tenants = Cache(lifetime: projectLifetime, outageLimit: limit, isOutage: isOutage) {
            try await projects.realm($0)
        }
        let loadStored: @Sendable (ID<Realm>) async throws -> Realm? = { id in
            if id.tenant != nil { return try await projects.realm(id) }
            return try await projects.realm(ofProject: id.project)
        }
        self.loadStored = lookup == nil ? loadStored : nil
        apps = Cache(lifetime: projectLifetime, outageLimit: limit, isOutage: isOutage) {
            try await projects.apps(of: $0).map { $0.app.withoutEndedGracePeriod(at: clock.now()) }
        }
        // One entry, with the key 0, holds the apps of all projects.
        appsWithDomains = Cache(lifetime: lifetime, outageLimit: limit, isOutage: isOutage) { _ in
            try await projects.associatedApps()
        }
        publishedRelyingParties = Cache(lifetime: lifetime, outageLimit: limit, isOutage: isOutage) { _ in
            try await projects.relyingParties()
        }
        keyRings = Cache(lifetime: lifetime, outageLimit: limit, isOutage: isOutage) { project in
            let time = clock.now() - KeyRing.acceptanceAfterRetirement
            return try KeyRing(
                try await signingKeys.keysByThisClock(in: project, retiredAfter: time), of: project, under: masterKeys)
        }
        callingApps = Cache(lifetime: lifetime, outageLimit: limit, isOutage: isOutage) { hash in
            try await apiKeys.realmAndApp(ofKeyWithHash: hash, supporting: supportedProviders).map {
                CallingApp(
                    realm: $0.realm.protectingRoles(of: operators), app: $0.app.withoutEndedGracePeriod(at: clock.now())
                )
            }
        }
        administrators = Cache(lifetime: lifetime) { hash in
            try await serviceKeys.key(withSecretHash: hash, supporting: supportedProviders)
        }
        publicServiceKeys = Cache(lifetime: lifetime) { name in
            try await serviceKeys.verificationKey(name.id, preferably: name.project).map {
                let project = $0.project
                let key = PublicServiceKey(
                    project: project, publicKey: try PublicKey(pem: $0.publicKey),
                    mayMint: $0.scopes.allows(.mintTokens),
                    recordUse: { serviceKeyUse.recordUse(of: name.id, in: project, at: clock.now()) })
                return ExpiringKey(key: key, expiresAt: $0.expiresAt)
            }
        }
    }

    /// Accepts API keys for clients, service keys for administrators, and nothing else.
    var access: Access {
        Access(checksCallers: true) { credential in
            if let bearer = credential.bearer {
                try rejectEmulatorClient(bearer)
                throw AccessRefusal.bearerNotAccepted
            }
            guard let key = credential.apiKey else { throw AccessRefusal.missingCredentials }
            guard Self.hasKeyForm(key), let client = try await callingApps.value(for: Digest.sha256(Array(key.utf8)))
            else { throw AccessRefusal.unknownKey }
            return client
        } administrator: { bearer, project in
            try rejectEmulatorClient(bearer)
            guard Self.hasKeyForm(bearer), let administrator = try await administrator(secret: bearer) else {
                throw AccessRefusal.bearerNotAccepted
            }
            guard project == nil || project == administrator.realm.project.id else { throw AccessRefusal.otherProject }
            return administrator
        }
    }

    /// Rejects and reports the token with which Admin SDKs authenticate to an emulator.
    private func rejectEmulatorClient(_ bearer: String) throws(AccessRefusal) {
        guard bearer.isExactly("owner") else { return }
        emulatorClients.report()
        throw .emulatorToken
    }

    /// Whether `text` has the form of an API key or a service key. Other texts are rejected before the database is
    /// queried.
    private static func hasKeyForm(_ text: String) -> Bool { text.isVisibleASCII(1...128) }

    /// - Returns: `nil` if the key does not exist, is revoked or has expired.
    private func administrator(secret: String) async throws -> Administrator? {
        guard let key = try await administrators.value(for: Digest.sha256(Array(secret.utf8))),
            isValid(until: key.expiresAt)
        else { return nil }
        serviceKeyUse.recordUse(of: key.id, in: key.realm.project.id, at: clock.now())
        return Administrator(realm: key.realm, actor: .serviceKey(key.id), scopes: key.scopes)
    }

    /// Returns the public key of a service key; `nil` if the key does not exist, is revoked or has expired.
    ///
    /// - Parameters:
    ///   - id: the key ID in a custom token that is not verified yet.
    ///   - project: the project whose key is preferred if several projects have a key with this ID.
    package func publicServiceKey(
        _ id: String, preferringProject project: ID<Project>
    ) async throws -> PublicServiceKey? {
        guard let found = try await publicServiceKeys.value(for: ServiceKeyName(id: id, project: project)),
            isValid(until: found.expiresAt)
        else { return nil }
        return found.key
    }

    /// Returns signing keys that were loaded after this call. They are loaded at most once a second, so that tokens
    /// with invented key IDs do not load the database.
    func newKeyRing(of project: ID<Project>) async throws -> KeyRing {
        try await keyRings.newValue(for: project, interval: .seconds(1)) { try await loop.sleep(for: $0) }
    }

    /// Returns for how much longer the cached signing keys are used if the database is unavailable; `nil` if they are
    /// always loaded.
    func remainingUse(ofKeysOf project: ID<Project>) -> Duration? {
        outageLimit == .zero ? nil : max(.zero, outageLimit - (keyRings.age(of: project) ?? .zero))
    }

    /// Whether a key has not expired. A cached key must expire on time, so each use checks the clock.
    private func isValid(until end: Instant?) -> Bool { end.map { clock.now() < $0 } ?? true }

    /// - Returns: `nil` if the project has no such app.
    package func app(_ id: ID<App>, of project: ID<Project>) async throws -> App? {
        try await apps.value(for: project).first { $0.id == id }
    }

    /// Returns what the hosts of the RP IDs of all projects publish.
    func relyingParties() async throws -> [PublishedRelyingParty] { try await publishedRelyingParties.value(for: 0) }

    /// Returns the apps with associated domains in all projects.
    func associatedApps() async throws -> [AssociatedApp] { try await appsWithDomains.value(for: 0) }

    /// Edits the configuration. A change takes effect at once on this loop, and within ``lifetime`` on other loops and
    /// in other processes.
    var editor: ProjectEditor {
        ProjectEditor {
            try await store.configuration(of: $0)
        } edit: { id, actor, permissions, change in
            let edit = try await store.edit(id, by: actor, allowing: permissions, change)
            invalidateConfiguration()
            return edit?.after
        }
    }

    /// Removes the cached configuration, but neither signing keys nor public keys of service keys.
    func invalidateConfiguration() {
        projects.invalidateAll()
        tenants.invalidateAll()
        apps.invalidateAll()
        appsWithDomains.invalidateAll()
        publishedRelyingParties.invalidateAll()
        callingApps.invalidateAll()
        administrators.invalidateAll()
    }

    /// Returns a realm as it is stored now, whatever the caches contain. They do not change.
    ///
    /// - Returns: `nil` if the realm does not exist any more.
    func stored(_ realm: Realm) async throws -> Realm? {
        guard let loadStored else { return realm }
        return try await loadStored(realm.id)
    }

    /// Returns a project's realm that was loaded after this call. It is loaded at most once a second, so that requests
    /// with invented names do not load the database.
    func newRealm(ofProject id: ID<Project>) async throws -> Realm? {
        try await projects.newValue(for: id, interval: .seconds(1)) { try await loop.sleep(for: $0) }
    }

    /// - Returns: `nil` if the realm does not exist.
    func realm(_ id: ID<Realm>) async throws -> Realm? {
        id.tenant == nil ? try await projects.value(for: id.project) : try await tenants.value(for: id)
    }
}

extension Realm {
    /// Marks the realm of the operators' project; see ``SecondFactorPolicy/protectsRoles``.
    fileprivate func protectingRoles(of operators: ID<Project>?) -> Realm {
        guard let operators, id == ID(operators) else { return self }
        var copy = self
        copy.policy.secondFactors.protectsRoles = true
        return copy
    }
}
