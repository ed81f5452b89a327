internal import HTTP
internal import Identity

extension Endpoint {
    /// Signs in with an identity from an identity provider, or links the identity to the account of an ID token.
    static let signInWithIdp = client("signInWithIdp", .post, "/v1/accounts:signInWithIdp") { call, client in
        let request = try call.body(as: SignInWithIdpRequest.self, for: client)
        guard request.pendingIdToken.nonEmpty == nil else { throw RequestRefusal.notImplemented("pendingIdToken") }
        let proof = try await request.proof { grant in
            try await call.services.signIn.flows.redeem(
                grant: grant, sessionID: request.sessionId, for: client.app, in: client.realm)
        }
        let signIn = try await call.services.signIn.federated.signIn(
            proof, linkingTo: request.idToken.nonEmpty, autoCreate: request.autoCreate ?? true,
            for: client.app, in: client.realm, from: call.context)
        if case .conflict(let refusal, let pendingToken) = signIn.outcome,
            request.returnIdpCredential != true || !refusal.canBeErrorMessage
        {
            throw PendingLinkRefusal(reason: refusal, pendingToken: pendingToken, provider: signIn.identity.provider)
        }
        let tokens = request.returnRefreshToken == true ? signIn.tokens : signIn.tokens?.withoutRefreshToken
        let members = FederatedMembers(signIn.identity, signIn.outcome, in: client.realm, returning: tokens)
        return try .json(SessionResponse(members, signIn.outcome))
    }
}

private struct SignInWithIdpRequest: IdpRequest {
    let requestUri: String?
    let postBody: String?
    let credential: IdpCredential?
    let pendingToken: String?
    let idToken: String?
    let autoCreate: Bool?
    let returnIdpCredential: Bool?
    let returnRefreshToken: Bool?
    let pendingIdToken: String?
    let sessionId: String?
    let tenantId: String?
    let targetProjectId: String?
}

/// Firebase's members of the response.
private struct FederatedMembers: Encodable {
    let kind = "identitytoolkit#VerifyAssertionResponse"
    let providerId: String
    let federatedId: String
    let email: String?
    /// Whether the gateway trusts the provider's claim that the address is verified.
    let emailVerified: Bool?
    let displayName: String?
    let fullName: String?
    let firstName: String?
    let lastName: String?
    let photoUrl: String?
    let screenName: String?
    let language: String?
    let timeZone: String?
    let rawUserInfo: String
    let oauthIdToken: String?
    let oauthAccessToken: String?
    let oauthRefreshToken: String?
    /// The lifetime of the access token, in seconds.
    let oauthExpireIn: Int64?
    /// An extension: whether the address is a private relay address.
    let isPrivateEmail: Bool?
    let localId: String?
    /// `true` or absent.
    let isNewUser: Bool?
    let tenantId: String?

    /// - Parameter outcome: its account supplies the user's name, which Apple sends only once.
    init(
        _ identity: VerifiedIdentity, _ outcome: SignInOutcome, in realm: Realm, returning tokens: ProviderTokens?
    ) {
        let account = outcome.account
        let linked = account?.identity(identity.provider, subject: identity.subject) ?? LinkedIdentity(identity)
        providerId = identity.provider.rawValue
        federatedId = realm.federatedID(of: identity)
        email = identity.email?.rawValue
        emailVerified = identity.email.map { _ in identity.emailTrust >= .verified }
        displayName = linked.profile.displayName
        fullName = linked.profile.displayName
        firstName = linked.profile.name?.given
        lastName = linked.profile.name?.family
        photoUrl = linked.profile.photoURL?.rawValue
        screenName = linked.profile.screenName
        language = linked.profile.language
        timeZone = linked.profile.timeZone
        rawUserInfo = identity.rawUserInfo
        oauthIdToken = tokens?.idToken
        oauthAccessToken = tokens?.accessToken
        // Without a sign-in, the client does not get the refresh token.
        oauthRefreshToken = outcome.isSignedIn ? tokens?.refreshToken : nil
        oauthExpireIn = tokens?.expiresIn
        isPrivateEmail = identity.provider == .apple ? identity.email.map { _ in identity.isPrivateEmail } : nil
        localId = account?.id.rawValue
        isNewUser = outcome.isNewAccount == true ? true : nil
        tenantId = realm.tenant?.id.rawValue
    }
}

extension Realm {
    fileprivate func federatedID(of identity: VerifiedIdentity) -> String {
        let provider = project.supportedProviders[identity.provider]
        return provider?.federatedID(of: identity.subject, at: identity.provider) ?? identity.subject
    }
}

extension LinkRefusal {
    /// Whether the refusal's code may be the `errorMessage` of a response with status 200. Firebase's Swift SDK ends
    /// the app's process (`fatalError` in `User.link`) for an `errorMessage` that it does not know.
    fileprivate var canBeErrorMessage: Bool { self == .identityTaken || self == .emailTaken }
}

/// A rejected link. With the pending token, the client can sign in or merge without a second proof of the identity.
private struct PendingLinkRefusal: Refusal {
    let reason: LinkRefusal
    let pendingToken: String
    let provider: ProviderID

    var code: ErrorCode { reason.code }

    var detail: String? { reason.detail }

    var metadata: [String: String] { ["pendingToken": pendingToken, "providerId": provider.rawValue] }
}
