internal import Identity

/// Firebase's fields. Tokens are present only after a sign-in.
struct SignInWithIdpResponse: Encodable {
    let kind = "identitytoolkit#VerifyAssertionResponse"
    let providerId: String
    let federatedId: String
    let email: String?
    /// As the provider asserts it.
    let emailVerified: Bool?
    let displayName: String?
    let fullName: String?
    let firstName: String?
    let lastName: String?
    let photoUrl: String?
    let rawUserInfo: String
    let oauthIdToken: String?
    let oauthAccessToken: String?
    /// An extension: whether the address is a private relay address.
    let isPrivateEmail: Bool?
    var localId: String?
    var idToken: String?
    var refreshToken: String?
    var expiresIn: String?
    /// `true` or absent.
    var isNewUser: Bool?
    var tenantId: String?
    /// `true` or absent.
    var needConfirmation: Bool?
    var verifiedProvider: [String]?
    /// `true` or absent.
    var emailRecycled: Bool?
    var pendingToken: String?
    var errorMessage: String?

    init(_ outcome: FederatedSignIn.Outcome, echoing evidence: IdpEvidence?) {
        switch outcome {
        case .signedIn(let signedIn, let profile, let isNew):
            self.init(profile, echoing: evidence)
            localId = signedIn.account.id.rawValue
            idToken = signedIn.idToken
            refreshToken = signedIn.refreshToken
            expiresIn = signedIn.expiresInSeconds
            isNewUser = isNew ? true : nil
        case .confirmationNeeded(let existing, let isRecycled, let profile, let pendingToken):
            self.init(profile, echoing: evidence)
            needConfirmation = true
            localId = existing?.id.rawValue
            verifiedProvider = existing?.signInMethods.map(\.rawValue)
            emailRecycled = isRecycled ? true : nil
            self.pendingToken = pendingToken
        case .conflict(let refusal, let profile, let pendingToken):
            self.init(profile, echoing: evidence)
            errorMessage = refusal.message
            self.pendingToken = pendingToken
        }
    }

    private init(_ profile: IdentityProfile, echoing evidence: IdpEvidence?) {
        let (identity, linked) = (profile.identity, profile.linked)
        providerId = identity.provider.rawValue
        federatedId = identity.federatedID
        email = identity.email?.rawValue
        emailVerified = identity.email.map { _ in identity.emailTrust >= .verified }
        displayName = linked.displayName
        fullName = linked.displayName
        firstName = linked.name?.given
        lastName = linked.name?.family
        photoUrl = linked.photoURL
        rawUserInfo = identity.rawUserInfo
        oauthIdToken = evidence?.idToken
        oauthAccessToken = evidence?.accessToken
        isPrivateEmail = identity.provider == .apple ? identity.email.map { _ in identity.isPrivateEmail } : nil
    }
}

extension VerifiedIdentity {
    /// Firebase's spelling.
    fileprivate var federatedID: String {
        switch provider {
        case .google: "https://accounts.google.com/\(subject)"
        case _ where provider.isGenericOpenID: "\(provider.rawValue)/\(subject)"
        default: subject
        }
    }
}
