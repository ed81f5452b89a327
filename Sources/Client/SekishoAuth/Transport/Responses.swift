internal import Foundation

// The response bodies of `openapi.yaml`, as far as the library reads them. Members that it does not need to work are
// optional, and unknown ones are ignored.

/// A response that may contain the tokens of a session.
struct SessionResponse: Decodable, Sendable {
    var localId: String?
    var email: String?
    var isNewUser: Bool?
    var idToken: String?
    var refreshToken: String?
    var expiresIn: DecimalText?
}

struct SignInWithIdpResponse: Decodable, Sendable {
    var providerId: String?
    var email: String?
    var displayName: String?
    var screenName: String?
    var rawUserInfo: String?
    var oauthIdToken: String?
    var oauthAccessToken: String?
    var isNewUser: Bool?
    var idToken: String?
    var refreshToken: String?
    var expiresIn: DecimalText?
    var needConfirmation: Bool?
    var verifiedProvider: [String]?
    var pendingToken: String?
    var errorMessage: String?
}

struct TokenResponse: Decodable, Sendable {
    var accessToken: String
    var refreshToken: String
    var expiresIn: DecimalText

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case expiresIn = "expires_in"
    }
}

struct LookupResponse: Decodable, Sendable {
    var users: [LookupUser]?
}

struct LookupUser: Decodable, Sendable {
    var localId: String
    var email: String?
    var emailVerified: Bool?
    var displayName: String?
    var photoUrl: String?
    var phoneNumber: String?
    var providerUserInfo: [ProviderUserInfo]?
    var passwordHash: String?
    var createdAt: DecimalText?
    var lastLoginAt: DecimalText?
    var tenantId: String?
}

struct ProviderUserInfo: Decodable, Sendable {
    var providerId: String
    var rawId: String?
    var federatedId: String?
    var email: String?
    var displayName: String?
    var photoUrl: String?
    var phoneNumber: String?
}

struct ResetPasswordResponse: Decodable, Sendable {
    var requestType: String?
    var email: String?
    var newEmail: String?
}

struct CreateAuthUriResponse: Decodable, Sendable {
    var signinMethods: [String]?
}

struct IssueNonceResponse: Decodable, Sendable {
    var nonce: String
    var nonceSha256: String
    var expiresIn: DecimalText
}

struct DeleteResponse: Decodable, Sendable {
    var appleRevocation: String?
}

struct CredentialStateResponse: Decodable, Sendable {
    var identities: [Identity]

    struct Identity: Decodable, Sendable {
        var providerId: String
        var rawId: String?
        var credentialState: String
        var checkedAt: String?
    }
}

struct ListSessionsResponse: Decodable, Sendable {
    var sessions: [Session]

    struct Session: Decodable, Sendable {
        var sessionId: String
        var current: Bool?
        var signInProvider: String?
        var device: String?
        var createdAt: DecimalText?
        var lastUsedAt: DecimalText?
    }
}

struct MergeResponse: Decodable, Sendable {
    var sourceLocalId: String
    var localId: String
    var moves: Moves
    var drops: [String]
    var mergeToken: String?
    var mergeTokenExpiresIn: DecimalText?
    var undoableUntil: DecimalText?
    var idToken: String?
    var refreshToken: String?
    var expiresIn: DecimalText?

    struct Moves: Decodable, Sendable {
        var providers: [String]?
        var email: Bool?
        var phoneNumber: Bool?
        var displayName: Bool?
        var photoUrl: Bool?
    }
}

/// A response of which nothing is read.
struct EmptyResponse: Decodable, Sendable {}
