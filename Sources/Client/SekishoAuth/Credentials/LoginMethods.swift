internal import Foundation

/// The sign-in methods that the app should offer.
public struct LoginMethods: Sendable {
    /// The sign-in methods in display order. Apple is first if the app also offers a third-party login that falls under
    /// App Review guideline 4.8.
    public let methods: [LoginMethod]
    /// Providers that can be linked, but not used for sign-in.
    public let linkOnlyMethods: [LoginMethod]
    /// Whether anonymous accounts are allowed.
    public let allowsAnonymous: Bool
    /// Whether users can sign in with an email link.
    public let allowsEmailLink: Bool
    /// Whether the app's sign-in methods comply with App Review guideline 4.8.
    public let satisfiesGuideline48: Bool
}

/// One sign-in method of the app.
public struct LoginMethod: Hashable, Sendable, Identifiable {
    /// The requirements on the nonce of a sign-in.
    public struct Nonce: Hashable, Sendable {
        /// Whether the gateway rejects a sign-in without a nonce.
        public let isRequired: Bool
        /// Whether the request to the provider must contain ``SignInNonce/sha256`` instead of ``SignInNonce/rawNonce``.
        public let isHashed: Bool
    }

    /// See ``providerID``.
    public var id: String { providerID }
    /// The provider's ID, for example `apple.com` or `password`.
    public let providerID: String
    /// `apple`, `password`, or the provider's relation to the app: `social`, `own`, `organisation`, `government`,
    /// `marketplace` or `thirdPartyService`.
    public let kind: String
    /// The display name of an OpenID Connect provider.
    public let displayName: String?
    /// The client ID for requests to the provider.
    public let clientID: String?
    /// The issuer of an OpenID Connect provider.
    public let issuer: String?
    /// The OAuth 2.0 scopes to request.
    public let scopes: [String]
    /// The requirements on the nonce, or `nil` if the method has no nonce.
    public let nonce: Nonce?
}

extension Auth {
    /// Returns the sign-in methods that an administrator has enabled for this app and ``tenantID``.
    public func loginMethods() async throws -> LoginMethods {
        let query = core.tenantID.map { [URLQueryItem(name: "tenantId", value: $0)] } ?? []
        let response: LoginMethodsResponse = try await core.get("/v1/loginMethods", query)
        return LoginMethods(
            methods: response.methods.map(LoginMethod.init),
            linkOnlyMethods: (response.linkOnlyMethods ?? []).map(LoginMethod.init),
            allowsAnonymous: response.anonymous ?? false, allowsEmailLink: response.emailLink ?? false,
            satisfiesGuideline48: response.compliant ?? true)
    }

    /// Completion-handler form of the `async` method.
    public func loginMethods(completion: @escaping (LoginMethods?, (any Error)?) -> Void) {
        MainQueue.complete(completion) { try await self.loginMethods() }
    }
}

struct LoginMethodsResponse: Decodable, Sendable {
    var methods: [Method]
    var linkOnlyMethods: [Method]?
    var anonymous: Bool?
    var emailLink: Bool?
    var compliant: Bool?

    struct Method: Decodable, Sendable {
        var providerId: String
        var kind: String?
        var displayName: String?
        var clientId: String?
        var issuer: String?
        var scopes: [String]?
        var nonce: Nonce?
    }

    struct Nonce: Decodable, Sendable {
        var required: Bool?
        var transform: String?
    }
}

extension LoginMethod {
    init(_ method: LoginMethodsResponse.Method) {
        providerID = method.providerId
        kind = method.kind ?? ""
        displayName = method.displayName
        clientID = method.clientId
        issuer = method.issuer
        scopes = method.scopes ?? []
        nonce = method.nonce.map { Nonce(isRequired: $0.required ?? false, isHashed: $0.transform == "sha256") }
    }
}
