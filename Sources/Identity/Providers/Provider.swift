/// An identity provider: what distinguishes it from other providers, except its endpoints and how to read its tokens.
/// The module `Providers` has one file per provider, which makes this value and has the rest.
public struct Provider: Hashable, Sendable {
    public let id: ProviderID
    /// The name that users know.
    public let displayName: String
    /// The accepted values of `iss`. Neither a token nor a document of the provider changes them.
    public let issuers: [String]
    /// The end of every client ID of the provider; `nil` if they have no common end.
    public let clientIDSuffix: String?
    /// The domains of the provider's issuers, with their subdomains; see ``PublicLogin``.
    public let issuerDomains: [String]
    public let responseMode: ResponseMode
    /// Whether the provider supports PKCE (RFC 7636).
    public let usesPKCE: Bool
    public let scopes: ProviderScopes
    /// Whether the app sends the SHA-256 of the nonce, in hexadecimal, to the provider, and not the nonce itself. The
    /// provider returns in the token what it received. ``Policy/requiresNonce`` applies to these providers.
    public let hashesNonce: Bool
    /// Whether Firebase's SDKs send a token a second time, in a request without the nonce.
    public let isSentAgainWithoutNonce: Bool
    /// Whether an app can prove an identity by a code without an ID token: by the server auth code that the provider's
    /// SDK gives the app. See ``ServerAuthCodes``.
    public let acceptsServerAuthCodes: Bool
    /// The beginning of the wire's `federatedId`, before the subject; `nil` for the provider's ID and a slash.
    public let federatedIDPrefix: String?
    /// The settings that not all providers have.
    public let settings: Set<Setting>
    public let relations: Relations

    public init(
        id: ProviderID, displayName: String, issuers: [String], clientIDSuffix: String? = nil,
        issuerDomains: [String], responseMode: ResponseMode = .query, usesPKCE: Bool = true,
        scopes: ProviderScopes = .openID,
        hashesNonce: Bool = false, isSentAgainWithoutNonce: Bool = false, acceptsServerAuthCodes: Bool = false,
        federatedIDPrefix: String? = nil, settings: Set<Setting> = [.clientSecret], relations: Relations = .social
    ) {
        self.id = id
        self.displayName = displayName
        self.issuers = issuers
        self.clientIDSuffix = clientIDSuffix
        self.issuerDomains = issuerDomains
        self.responseMode = responseMode
        self.usesPKCE = usesPKCE
        self.scopes = scopes
        self.hashesNonce = hashesNonce
        self.isSentAgainWithoutNonce = isSentAgainWithoutNonce
        self.acceptsServerAuthCodes = acceptsServerAuthCodes
        self.federatedIDPrefix = federatedIDPrefix
        self.settings = settings
        self.relations = relations
    }
}

extension Provider {
    /// How the provider sends its response to a sign-in in the browser.
    public enum ResponseMode: Sendable {
        /// A redirect with the code in the query.
        case query
        /// A form with the code and an ID token, which the provider's page posts from its own site. Browsers send no
        /// `SameSite=Lax` cookie with such a request, so the form is stored until the browser follows a redirect and
        /// sends the cookie.
        case form
    }

    /// A setting, or a group of settings, that not all providers have.
    public enum Setting: Sendable {
        /// ``ProviderSettings/apple``, and a private key instead of a client secret.
        case apple
        case clientSecret
        /// ``ProviderSettings/hostedDomains``.
        case hostedDomains
        /// ``ProviderSettings/openID`` and ``ProviderSettings/relationReason``.
        case openID
    }

    /// The relations that the provider can have to the apps of a project.
    public enum Relations: Sendable {
        case social
        /// ``ProviderRelation/social``, or ``ProviderRelation/organisation`` together with hosted domains.
        case socialOrOrganisation
        /// What the operator states, unless the issuer is that of a ``PublicLogin``.
        case any
    }

    /// What all generic OpenID Connect providers have in common; see ``ProviderID/isGenericOpenID``. The operator
    /// configures their issuers and names, and their discovery documents contain their endpoints.
    public static let genericOpenID = Provider(
        id: ProviderID("oidc.NAME"), displayName: "OpenID Connect", issuers: [], issuerDomains: [],
        settings: [.clientSecret, .openID], relations: .any)

    /// Returns the wire's `federatedId`: the ID of the user at the provider, in Firebase's format.
    public func federatedID(of subject: String, at provider: ProviderID) -> String {
        (federatedIDPrefix ?? "\(provider.rawValue)/") + subject
    }
}

/// The OAuth 2.0 scopes that the gateway requests from a provider.
public struct ProviderScopes: Hashable, Sendable {
    /// Always requested.
    public let base: [String]
    /// Requested if the app requests the user's address, or the user's name.
    public let optional: [AppSettings.RequestedScope: String]
    /// Whether an app can request other scopes.
    public let acceptsOthers: Bool

    public init(base: [String], optional: [AppSettings.RequestedScope: String], acceptsOthers: Bool) {
        self.base = base
        self.optional = optional
        self.acceptsOthers = acceptsOthers
    }

    /// OpenID Connect Core 1.0 §5.4.
    public static let openID = ProviderScopes(
        base: ["openid"], optional: [.email: "email", .name: "profile"], acceptsOthers: true)
}
