// The request bodies of `openapi.yaml`. Members that are `nil` are not sent.

struct SignUpRequest: Encodable {
    var tenantId: String?
    var idToken: String?
    var email: String?
    var password: String?
}

struct SignInWithPasswordRequest: Encodable {
    var tenantId: String?
    var email: String
    var password: String
    var idToken: String?
}

struct SignInWithEmailLinkRequest: Encodable {
    var tenantId: String?
    var email: String
    var oobCode: String
    var idToken: String?
}

struct SignInWithCustomTokenRequest: Encodable {
    var tenantId: String?
    var token: String
}

struct SignInWithIdpRequest: Encodable {
    var tenantId: String?
    var credential: IdpCredential?
    var pendingToken: String?
    var requestUri: String?
    var sessionId: String?
    var idToken: String?
    var autoCreate: Bool?
    var returnIdpCredential = true
}

struct IdpCredential: Encodable {
    var providerId: String
    var idToken: String?
    var accessToken: String?
    var rawNonce: String?
    var fullName: PersonName?
    var authorizationCode: String?
}

struct IssueNonceRequest: Encodable {
    var tenantId: String?
}

/// The body of `lookUpOwnAccount`, `deleteOwnAccount` and `getOwnCredentialState`.
struct IDTokenRequest: Encodable {
    var idToken: String
}

struct UpdateRequest: Encodable {
    var idToken: String?
    var email: String?
    var password: String?
    var displayName: String?
    var photoUrl: String?
    var deleteAttribute: [String]?
    var deleteProvider: [String]?
    var deletePasskey: [String]?
    var allowNoSignInMethod: Bool?
    var oobCode: String?
}

struct SendOobCodeRequest: Encodable {
    var tenantId: String?
    var requestType: String
    var email: String?
    var newEmail: String?
    var idToken: String?
    var continueUrl: String?
    var canHandleCodeInApp: Bool?
    var iOSBundleId: String?
    var androidPackageName: String?
}

struct ResetPasswordRequest: Encodable {
    var tenantId: String?
    var oobCode: String
    var newPassword: String?
}

struct CreateAuthUriRequest: Encodable {
    var tenantId: String?
    var identifier: String?
    /// The operation requires a URI, but uses it only to start a sign-in with a provider.
    var continueUri = "http://localhost"
    var providerId: String?
    var operation: String?
    var oauthScope: String?
    var customParameter: [String: String]?
    var sessionId: String?
}

struct CreateSignInUriRequest: Encodable {
    var tenantId: String?
    var continueUri: String
    var state: String
    var codeChallenge: String
    var codeChallengeMethod = "S256"
    var operation: String?
    var idToken: String?
}

struct RevokeTokenRequest: Encodable {
    var providerId: String
    var tokenType = "CODE"
    var token: String
    var idToken: String
}

struct ListSessionsRequest: Encodable {
    var idToken: String
    var pageSize: Int
    var pageToken: String?
}

struct RevokeSessionRequest: Encodable {
    var idToken: String
    var sessionId: String?
    var everywhere: Bool?
}

struct MergeDryRunRequest: Encodable {
    var idToken: String
    var dryRun = true
    var credential: IdpCredential?
    var pendingToken: String?
    var targetIdToken: String?
}

struct MergeCommitRequest: Encodable {
    var idToken: String
    var mergeToken: String
}

struct StartPasskeyEnrollmentRequest: Encodable {
    var idToken: String
    var mediation: String?
}

struct FinalizePasskeyEnrollmentRequest: Encodable {
    var idToken: String
    var authenticatorRegistrationResponse: PasskeyResponse
    var name: String?
}

struct StartPasskeySignInRequest: Encodable {
    var tenantId: String?
}

struct FinalizePasskeySignInRequest: Encodable {
    var tenantId: String?
    var authenticatorAuthenticationResponse: PasskeyResponse
}

struct StartPasskeySignUpRequest: Encodable {
    var tenantId: String?
    var email: String?
    var displayName: String?
}

struct FinalizePasskeySignUpRequest: Encodable {
    var tenantId: String?
    var authenticatorRegistrationResponse: PasskeyResponse
    var name: String?
    var displayName: String?
    var email: String?
}

/// A new passkey, or the answer of a passkey, in the JSON form of WebAuthn. All bytes are in base64url.
struct PasskeyResponse: Encodable, Sendable {
    var id: String
    var rawId: String
    var type = "public-key"
    var response: Response

    struct Response: Encodable, Sendable {
        var clientDataJSON: String
        var attestationObject: String?
        var authenticatorData: String?
        var signature: String?
        var userHandle: String?
    }
}
