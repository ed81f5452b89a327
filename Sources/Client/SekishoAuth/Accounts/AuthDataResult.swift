public import Foundation

/// The result of a sign-in, a link or a reauthentication.
public struct AuthDataResult: Sendable {
    /// The user.
    public let user: User
    /// The provider's profile of the user, and whether the sign-in created the account.
    public let additionalUserInfo: AdditionalUserInfo?
    /// The provider's tokens, for its own API.
    public let credential: AuthCredential?

    init(user: User, additionalUserInfo: AdditionalUserInfo?, credential: AuthCredential? = nil) {
        self.user = user
        self.additionalUserInfo = additionalUserInfo
        self.credential = credential
    }
}

/// The provider's profile of the user, and whether the sign-in created the account.
public struct AdditionalUserInfo: Sendable {
    /// The provider's ID.
    public let providerID: String
    /// The profile that the provider sent.
    public let profile: [String: any Sendable]?
    /// The user's nickname at the provider.
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
        profile = response.rawUserInfo.flatMap(JSONValue.object(parsing:))?.mapValues(\.sendable)
        username = response.screenName
    }
}

extension AdditionalUserInfo: CustomStringConvertible, CustomReflectable {
    /// The provider's ID. Contains nothing of the profile.
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
    /// When the user signed in or authenticated again.
    public let authDate: Date
    /// When the gateway issued the ID token.
    public let issuedAtDate: Date
    /// How the user signed in, for example `apple.com`.
    public let signInProvider: String
    /// The second factor of the sign-in, or an empty text.
    public let signInSecondFactor: String
    /// The ID of the session.
    public let sessionID: String?
    /// All claims, custom claims included.
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
        self.claims = claims.values.mapValues(\.sendable)
    }
}

extension AuthTokenResult: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// When the token expires. Contains neither the token nor its claims.
    public var description: String { "AuthTokenResult(expirationDate: \(expirationDate))" }
    /// See `description`.
    public var debugDescription: String { description }
    /// See `description`.
    public var customMirror: Mirror { Mirror(self, children: ["expirationDate": expirationDate]) }
}
