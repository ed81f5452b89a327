public import Foundation

/// The result of a sign-in, a link or a reauthentication.
public struct AuthDataResult: Sendable {
    /// The user.
    public let user: User
    /// The provider's profile of the user. `nil` if ``Auth/signInAnonymously()`` returns the current user.
    public let additionalUserInfo: AdditionalUserInfo?
    /// A credential with the provider's tokens, for requests to the provider's API. `nil` unless an identity provider
    /// was used.
    public let credential: AuthCredential?

    init(user: User, additionalUserInfo: AdditionalUserInfo?, credential: AuthCredential? = nil) {
        self.user = user
        self.additionalUserInfo = additionalUserInfo
        self.credential = credential
    }
}

/// The provider's profile of the user, and whether the sign-in created the account.
public struct AdditionalUserInfo: Sendable {
    /// The provider ID, for example `apple.com`; empty for anonymous users and custom tokens.
    public let providerID: String
    /// The profile from the identity provider, as decoded JSON.
    public let profile: [String: any Sendable]?
    /// The user name at the provider.
    public let username: String?
    /// Whether the sign-in created the account.
    public let isNewUser: Bool

    init(providerID: String, isNewUser: Bool) {
        self.providerID = providerID
        self.isNewUser = isNewUser
        profile = nil
        username = nil
    }

    init(_ response: SignInWithIdpResponse) {
        providerID = response.providerId ?? ""
        isNewUser = response.isNewUser ?? false
        profile = response.rawUserInfo.flatMap(JSONValue.object(parsing:))?.mapValues(\.foundationValue)
        username = response.screenName
    }
}

extension AdditionalUserInfo: CustomStringConvertible, CustomReflectable {
    /// The provider ID. Does not contain the profile.
    public var description: String { "AdditionalUserInfo(providerID: \(providerID), isNewUser: \(isNewUser))" }
    /// See `description`.
    public var customMirror: Mirror { Mirror(self, children: ["providerID": providerID, "isNewUser": isNewUser]) }
}

/// An ID token and its claims.
public struct AuthTokenResult: Sendable {
    /// The ID token.
    public let token: String
    /// When the ID token expires, by the gateway's clock.
    public let expirationDate: Date
    /// When the user signed in or reauthenticated.
    public let authDate: Date
    /// When the gateway issued the ID token.
    public let issuedAtDate: Date
    /// The provider ID of the sign-in, for example `apple.com`.
    public let signInProvider: String
    /// The second factor of the sign-in; an empty string if there was none.
    public let signInSecondFactor: String
    /// The ID of the session (claim `sid`). See ``UserSession/id``.
    public let sessionID: String?
    /// All claims, including custom claims.
    public let claims: [String: any Sendable]

    init(_ token: String) throws {
        let claims = try IDTokenClaims(of: token)
        self.token = token
        expirationDate = try claims.date("exp")
        authDate = try claims.date("auth_time")
        issuedAtDate = try claims.date("iat")
        signInProvider = claims.firebase("sign_in_provider") ?? ""
        signInSecondFactor = claims.firebase("sign_in_second_factor") ?? ""
        sessionID = claims.values["sid"]?.string
        self.claims = claims.values.mapValues(\.foundationValue)
    }
}

extension AuthTokenResult: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The expiration date. Contains neither the token nor any other claim.
    public var description: String { "AuthTokenResult(expirationDate: \(expirationDate))" }
    /// See `description`.
    public var debugDescription: String { description }
    /// See `description`.
    public var customMirror: Mirror { Mirror(self, children: ["expirationDate": expirationDate]) }
}
