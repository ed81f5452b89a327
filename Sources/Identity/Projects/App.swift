/// One client of a project. An API key identifies the app, and thereby the project, of a request.
public struct App: Hashable, Sendable {
    public let id: ID<App>
    public var settings: AppSettings
    /// Until then, sign-in works although the app violates guideline 4.8; see ``LoginServicesGrace``.
    public var graceEndsAt: Instant?

    public init(id: ID<App>, settings: AppSettings = AppSettings(), graceEndsAt: Instant? = nil) {
        self.id = id
        self.settings = settings
        self.graceEndsAt = graceEndsAt
    }

    /// The allowed audiences of this provider's tokens if this app sends them.
    public func audiences(of provider: ProviderSettings) -> [String] {
        settings.clientIDs[provider.provider.rawValue] ?? provider.clientIDs
    }
}

/// The declared properties of an app. They determine which sign-in methods the app may show.
public struct AppSettings: Hashable, Sendable {
    public enum Platform: String, CaseIterable, Codable, Sendable {
        case ios
        case macos
        case android
        case windows
        case web
        case other
    }

    /// The distribution channel of the app.
    public enum Distribution: String, CaseIterable, Codable, Sendable {
        case appStore
        /// An alternative marketplace for Apple's devices.
        case marketplace
        case playStore
        case enterprise
        case web
        case other
    }

    /// What an app requests from identity providers, besides the user's ID.
    public enum RequestedScope: String, CaseIterable, Codable, Sendable {
        case email
        case name
    }

    public var platform: Platform
    public var distribution: Distribution
    /// On Apple's platforms: the bundle IDs of the app and its extensions, which are audiences of native Apple tokens.
    public var bundleIDs: [String]
    /// In display order; `nil` means all that the project has enabled.
    public var signInMethods: [ProviderID]?
    /// Providers whose identities can be linked to an account but not used to sign in. They need no Apple.
    public var linkOnlyMethods: [ProviderID]
    /// The allowed audiences of tokens that this app sends, by provider. ``ProviderSettings/clientIDs`` applies to a
    /// provider that is not listed.
    public var clientIDs: [String: [String]]
    /// What the app's sign-in buttons request.
    public var requestedScopes: Set<RequestedScope>
    /// Who may use the app's API keys besides ``bundleIDs``.
    public var callers: AllowedCallers
    public var association: AppAssociation
    /// Where a sign-in in the browser may return to, besides pages of authorized domains: app links and custom
    /// schemes, compared as they are.
    public var redirectURIs: [String]
    /// Exempts the app from guideline 4.8.
    public var exemption: LoginServicesExemption?

    public init(
        platform: Platform = .other, distribution: Distribution = .other, bundleIDs: [String] = [],
        signInMethods: [ProviderID]? = nil, linkOnlyMethods: [ProviderID] = [], clientIDs: [String: [String]] = [:],
        requestedScopes: Set<RequestedScope> = Set(RequestedScope.allCases),
        callers: AllowedCallers = AllowedCallers(), association: AppAssociation = AppAssociation(),
        redirectURIs: [String] = [],
        exemption: LoginServicesExemption? = nil
    ) {
        self.platform = platform
        self.distribution = distribution
        self.bundleIDs = bundleIDs
        self.signInMethods = signInMethods
        self.linkOnlyMethods = linkOnlyMethods
        self.clientIDs = clientIDs
        self.requestedScopes = requestedScopes
        self.callers = callers
        self.association = association
        self.redirectURIs = redirectURIs
        self.exemption = exemption
    }
}

/// One of the five exemptions in the text of App Review guideline 4.8, with the operator's reason for claiming it.
public struct LoginServicesExemption: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Codable, Sendable {
        /// The app uses only its company's own account system.
        case ownAccountsOnly
        /// An alternative app marketplace, or an app from one that uses the marketplace's own login.
        case alternativeMarketplace
        /// Education, enterprise or business apps that require an account of the organisation.
        case organisationAccounts
        /// A citizen identification system of a government or an industry.
        case governmentIdentity
        /// A client of one third-party service, whose accounts its users must have.
        case thirdPartyClient
    }

    /// Who declared the exemption, and when.
    public struct Declaration: Hashable, Sendable {
        /// The name of the actor in the audit trail.
        public let actor: String
        public let at: Instant

        public init(actor: String, at: Instant) {
            self.actor = actor
            self.at = at
        }
    }

    public let kind: Kind
    /// 1 to 500 characters.
    public let reason: String
    /// Set by the store; `nil` in a change that has not been stored.
    public var declaration: Declaration?

    public init(kind: Kind, reason: String, declaration: Declaration? = nil) {
        self.kind = kind
        self.reason = reason
        self.declaration = declaration
    }
}

extension ProjectConfiguration {
    /// Adds the declaration to every exemption that differs from the one before, and keeps the other declarations.
    public mutating func declareExemptions(since old: ProjectConfiguration, by actor: AuditActor, at now: Instant) {
        for index in apps.indices {
            guard var exemption = apps[index].app.settings.exemption else { continue }
            let before = old.app(apps[index].app.id)?.app.settings.exemption
            let isSame = before?.kind == exemption.kind && before?.reason == exemption.reason
            exemption.declaration =
                isSame ? before?.declaration : LoginServicesExemption.Declaration(actor: actor.name, at: now)
            apps[index].app.settings.exemption = exemption
        }
    }
}
