public import Encoding

/// A sign-in method: the wire's `providerId` and the token's `sign_in_provider`.
public struct ProviderID: BytewiseComparable, Codable, Sendable {
    public let rawValue: String

    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }
}

extension ProviderID {
    public static let anonymous = ProviderID("anonymous")
    /// Sign in with Apple.
    public static let apple = ProviderID("apple.com")
    /// A custom token of the app's own backend.
    public static let custom = ProviderID("custom")
    /// A link sent to the account's mailbox: an alternative to the password, and named `password` in tokens.
    public static let emailLink = ProviderID("emailLink")
    /// A passkey (WebAuthn).
    public static let passkey = ProviderID("passkey")
    public static let password = ProviderID("password")
    public static let phone = ProviderID("phone")
    /// A one-time password of an authenticator app: a second factor, and no sign-in method.
    public static let totp = ProviderID("totp")

    /// An OpenID Connect provider that the operator configures: `oidc.` and a name.
    public var isGenericOpenID: Bool { rawValue.beginsExactly(with: "oidc.") }

    /// Whether the ID is `oidc.` and a name that a project can configure.
    public var isValidOpenIDName: Bool { rawValue.wholeMatch(of: /oidc\.[a-z0-9-]{1,32}/) != nil }
}

/// A project's configuration of one provider. The private key or client secret is stored separately, encrypted.
public struct ProviderSettings: Hashable, Sendable {
    public let provider: ProviderID
    public var isEnabled: Bool
    /// The allowed audiences of the provider's tokens: bundle IDs, Services IDs, OAuth client IDs. Never empty.
    public var clientIDs: [String]
    /// Whether a private key or client secret is stored.
    public var hasSecret: Bool
    public var apple: AppleSettings?
    /// Only for generic OpenID Connect providers; see ``ProviderID/isGenericOpenID``.
    public var openID: OpenIDSettings?
    /// `nil` if no administrator has stated it; see ``relation``.
    public var statedRelation: ProviderRelation?
    /// The operator's reason for ``statedRelation``; required for ``ProviderRelation/own``.
    public var relationReason: Reason?
    /// The domains of organisations whose accounts are accepted; empty accepts all accounts. Only for providers with
    /// ``Provider/Setting/hostedDomains``.
    public var hostedDomains: [String]

    public init(
        provider: ProviderID, isEnabled: Bool, clientIDs: [String], hasSecret: Bool = false,
        apple: AppleSettings? = nil, openID: OpenIDSettings? = nil, statedRelation: ProviderRelation? = nil,
        relationReason: String? = nil, hostedDomains: [String] = []
    ) {
        self.provider = provider
        self.isEnabled = isEnabled
        self.clientIDs = clientIDs
        self.hasSecret = hasSecret
        self.apple = apple
        self.openID = openID
        self.statedRelation = statedRelation
        self.relationReason = relationReason.map { Reason($0) }
        self.hostedDomains = hostedDomains
    }
}

/// Settings that only Apple has.
public struct AppleSettings: Hashable, Sendable {
    /// Ten characters.
    public var teamID: String
    /// The ID of the private key that signs client secrets; ten characters.
    public var keyID: String
    /// Whether a token's nonce may also equal the unhashed nonce, for apps that do not hash it.
    public var acceptsUnhashedNonces: Bool

    public init(teamID: String, keyID: String, acceptsUnhashedNonces: Bool = false) {
        self.teamID = teamID
        self.keyID = keyID
        self.acceptsUnhashedNonces = acceptsUnhashedNonces
    }
}

/// Settings that only generic OpenID Connect providers have.
public struct OpenIDSettings: Hashable, Sendable {
    /// An https URL; compared exactly (OpenID Connect Core 1.0 §3.1.3.7).
    public var issuer: String
    public var displayName: String?
    /// Whether the provider's `email_verified` claim is trusted.
    public var trustsEmail: Bool
    /// The response type that the operator has written, which is only read back: the gateway accepts ID tokens, and
    /// codes if it has a client secret.
    public var responseType: OpenIDResponseType?

    public init(
        issuer: String, displayName: String? = nil, trustsEmail: Bool = false, responseType: OpenIDResponseType? = nil
    ) {
        self.issuer = issuer
        self.displayName = displayName
        self.trustsEmail = trustsEmail
        self.responseType = responseType
    }
}

/// What an authorization response contains, in the shape of Identity Platform's `OAuthResponseType`.
public struct OpenIDResponseType: Hashable, Codable, Sendable {
    public var idToken: Bool?
    public var code: Bool?

    public init(idToken: Bool? = nil, code: Bool? = nil) {
        self.idToken = idToken
        self.code = code
    }
}

extension AppleSettings {
    /// Whether `text` has the form of a team ID or key ID: ten upper-case letters or digits.
    public static func isID(_ text: String) -> Bool { text.wholeMatch(of: /[A-Z0-9]{10}/) != nil }

    var isComplete: Bool { Self.isID(teamID) && Self.isID(keyID) }
}

/// The relation of an identity provider to the apps of a project. It determines whether an app that shows the provider
/// has to show Apple too (App Review guideline 4.8), and which exemptions are possible.
public enum ProviderRelation: String, CaseIterable, Codable, Sendable {
    /// A third-party or social login.
    case social
    /// The account system of the app's own company, which requires neither Apple nor an exemption, but a reason.
    case own
    /// Existing accounts of a school or an employer.
    case organisation
    /// A citizen identification system of a government or an industry.
    case government
    /// The login of an alternative app marketplace.
    case marketplace
    /// The third-party service whose client the app is.
    case thirdPartyService
}

/// Why a stated relation has no effect.
enum RelationProblem: Hashable {
    /// The provider cannot have the relation; see ``Provider/relations``.
    case impossible(Provider.Relations)
    /// The issuer is that of a public login.
    case publicLogin(PublicLogin)
    /// The relation is `own`, and the reason is missing or invalid.
    case reasonMissing
}

extension Realm {
    /// Returns the relation of a configured provider to the project's apps: the stated relation, or `social` if none is
    /// stated, or if the stated one has no effect.
    public func relation(of provider: ProviderSettings) -> ProviderRelation {
        relationProblem(of: provider) == nil ? provider.statedRelation ?? .social : .social
    }

    func relationProblem(of provider: ProviderSettings) -> RelationProblem? {
        guard let statedRelation = provider.statedRelation, statedRelation != .social else { return nil }
        let relations = project.supportedProviders[provider.provider]?.relations ?? .social
        switch relations {
        case .social: return .impossible(relations)
        case .socialOrOrganisation:
            return statedRelation == .organisation && !provider.hostedDomains.isEmpty ? nil : .impossible(relations)
        case .any: break
        }
        if statedRelation != .thirdPartyService,
            let login = provider.openID.flatMap({ PublicLogin(issuer: $0.issuer, besides: project.supportedProviders) })
        {
            return .publicLogin(login)
        }
        return statedRelation == .own && provider.relationReason?.isValid != true ? .reasonMissing : nil
    }
}

extension Realm {
    /// Throws if the settings of the identity's provider list hosted domains, and the identity belongs to none of them.
    /// Callers check every proof of an identity, even a pending token that was issued before the domains were
    /// configured.
    func requireHostedDomain(of identity: VerifiedIdentity) throws(ProviderRefusal) {
        guard let domains = settings(of: identity.provider)?.hostedDomains, !domains.isEmpty else { return }
        guard let domain = identity.hostedDomain, domains.contains(where: { HostedDomain($0) == domain }) else {
            throw .hostedDomain(expected: domains, seen: identity.hostedDomain)
        }
    }
}
