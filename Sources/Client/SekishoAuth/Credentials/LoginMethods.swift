internal import Foundation

/// The sign-in methods that the app offers, in display order.
public struct LoginMethods: Sendable {
    /// Methods to offer. Apple comes first.
    public let methods: [LoginMethod]
    /// Providers whose identities can only be linked.
    public let linkOnlyMethods: [LoginMethod]
    /// Whether anonymous accounts are allowed.
    public let allowsAnonymous: Bool
    /// Whether users can sign in with an emailed link.
    public let allowsEmailLink: Bool
    /// Whether the app's configuration complies with App Review guideline 4.8.
    public let isCompliant: Bool
}

/// One sign-in method of the app.
public struct LoginMethod: Hashable, Sendable, Identifiable {
    /// How the app uses a nonce with this method.
    public struct Nonce: Hashable, Sendable {
        /// Whether a sign-in without a nonce is rejected.
        public let isRequired: Bool
        /// Whether the provider gets the SHA-256 of the nonce instead of the nonce.
        public let isHashed: Bool
    }

    /// The provider's ID.
    public var id: String { providerID }
    /// The provider's ID, for example `apple.com` or `password`.
    public let providerID: String
    /// `apple`, `password`, or what the provider is to the app, for example `social`.
    public let kind: String
    /// The name of an OpenID Connect provider.
    public let displayName: String?
    /// The client ID that the app sends to the provider.
    public let clientID: String?
    /// The issuer of an OpenID Connect provider.
    public let issuer: String?
    /// The scopes that the app requests.
    public let scopes: [String]
    /// How the app uses a nonce, or `nil` if the method has none.
    public let nonce: Nonce?
}

extension Auth {
    /// Returns the sign-in methods that the project's administrator enabled for this app.
    public func loginMethods() async throws -> LoginMethods {
        let query = core.tenantID.map { [URLQueryItem(name: "tenantId", value: $0)] } ?? []
        let response: LoginMethodsResponse = try await core.get("/v1/loginMethods", query)
        return LoginMethods(
            methods: response.methods.map(LoginMethod.init),
            linkOnlyMethods: (response.linkOnlyMethods ?? []).map(LoginMethod.init),
            allowsAnonymous: response.anonymous ?? false, allowsEmailLink: response.emailLink ?? false,
            isCompliant: response.compliant ?? true)
    }

    /// See the asynchronous form.
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
