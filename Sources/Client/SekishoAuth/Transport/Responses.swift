internal import Foundation

// The response bodies of `openapi.yaml`, with the members that the library reads. Members that are not essential are
// optional. Unknown members are ignored.

/// The response of an operation that can return tokens.
struct SessionResponse: Decodable, Sendable {
    var isNewUser: Bool?
    var passkeySignals: [PasskeySignal]?
    var idToken: String?
    var refreshToken: String?
    var expiresIn: StringEncodedNumber?
    var mfaPendingCredential: String?
    var mfaInfo: [LookupFactor]?
    var recoveryCodesAvailable: Bool?
}

struct SignInWithIdpResponse: Decodable, Sendable {
    var providerId: String?
    var email: String?
    var screenName: String?
    var rawUserInfo: String?
    var oauthIdToken: String?
    var oauthAccessToken: String?
    var isNewUser: Bool?
    var idToken: String?
    var refreshToken: String?
    var expiresIn: StringEncodedNumber?
    var needConfirmation: Bool?
    var verifiedProvider: [String]?
    var pendingToken: String?
    var errorMessage: String?
    var mfaPendingCredential: String?
    var mfaInfo: [LookupFactor]?
    var recoveryCodesAvailable: Bool?
}

struct TokenResponse: Decodable, Sendable {
    var accessToken: String
    var refreshToken: String
    var expiresIn: StringEncodedNumber
    /// Absent after a refresh.
    var isNewUser: Bool?

    private enum CodingKeys: String, CodingKey {
        case isNewUser
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case expiresIn = "expires_in"
    }
}

struct CreateSignInUriResponse: Decodable, Sendable {
    var signInUri: String
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
    var createdAt: StringEncodedNumber?
    var lastLoginAt: StringEncodedNumber?
    var tenantId: String?
    var passkeyInfo: [LookupPasskey]?
    var passkeySignals: [PasskeySignal]?
    var mfaInfo: [LookupFactor]?
}

struct LookupPasskey: Decodable, Sendable {
    var credentialId: String
    var name: String?
    var createdAt: Timestamp?
    var lastUsedAt: Timestamp?
    var backedUp: Bool?
}

/// What password managers can be told about the passkeys of one user handle.
struct PasskeySignal: Decodable, Sendable {
    var rpId: String
    /// In base64url, like the credential IDs.
    var userId: String
    var allAcceptedCredentialIds: [String]
    var name: String
}

/// The response of an operation that starts to create a passkey, with the options that the system uses.
struct PasskeyCreationResponse: Decodable, Sendable {
    var credentialCreationOptions: Options

    struct Options: Decodable, Sendable {
        var rp: RelyingParty
        var user: User
        var challenge: String
        var excludeCredentials: [Credential]?
    }

    struct RelyingParty: Decodable, Sendable {
        var id: String
    }

    struct User: Decodable, Sendable {
        var id: String
        var name: String
    }

    struct Credential: Decodable, Sendable {
        var id: String
    }
}

struct StartPasskeySignInResponse: Decodable, Sendable {
    var credentialRequestOptions: Options

    struct Options: Decodable, Sendable {
        var challenge: String
        var rpId: String
    }
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
    var authUri: String?
}

struct IssueNonceResponse: Decodable, Sendable {
    var nonce: String
    var nonceSha256: String
    var expiresIn: StringEncodedNumber
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
    var nextPageToken: String?

    struct Session: Decodable, Sendable {
        var sessionId: String
        var current: Bool?
        var signInProvider: String?
        var device: String?
        var createdAt: Timestamp?
        var lastUsedAt: Timestamp?
    }
}

struct MergeResponse: Decodable, Sendable {
    var sourceLocalId: String
    var localId: String
    var moves: Moves
    var drops: [String]
    var mergeToken: String?
    var mergeTokenExpiresIn: StringEncodedNumber?
    var undoableUntil: Timestamp?
    var idToken: String?
    var refreshToken: String?
    var expiresIn: StringEncodedNumber?

    struct Moves: Decodable, Sendable {
        var providers: [String]?
        var email: Bool?
        var phoneNumber: Bool?
        var displayName: Bool?
        var photoUrl: Bool?
    }
}

/// A response from which the library reads nothing. It may have no body.
struct EmptyResponse: Decodable, Sendable {}
