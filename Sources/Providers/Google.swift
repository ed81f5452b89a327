internal import Encoding
public import Identity
internal import JSON

extension ProviderID {
    public static let google = ProviderID("google.com")
}

extension IdentityProvider {
    /// Sign in with Google: GoogleSignIn on devices, Google Identity Services and One Tap on the web.
    public static let google = IdentityProvider(
        // Firebase's issuers, at securetoken.google.com and session.firebase.google.com, accept the same users.
        Provider(
            id: .google, displayName: "Google", issuers: ["https://accounts.google.com", "accounts.google.com"],
            clientIDSuffix: ".apps.googleusercontent.com", issuerDomains: ["google.com"], isSentAgainWithoutNonce: true,
            acceptsServerAuthCodes: true, federatedIDPrefix: "https://accounts.google.com/",
            settings: [.clientSecret, .hostedDomains],
            relations: .socialOrOrganisation),
        endpoints: ProviderEndpoints(
            keysURL: "https://www.googleapis.com/oauth2/v3/certs",
            authorizationURL: "https://accounts.google.com/o/oauth2/v2/auth",
            codeExchange: .secretInBody(tokenURL: "https://oauth2.googleapis.com/token")),
        identity: Google.identity)
}

/// Reads ID tokens of Sign in with Google.
enum Google {
    static func identity(
        in token: VerifiedToken, of credential: FederatedCredential, in realm: Realm
    ) throws -> VerifiedIdentity {
        let subject = try token.subject()
        try token.requireNonce(credential.rawNonce)
        let email = token.claims.text("email").flatMap(EmailAddress.init)
        var identity = VerifiedIdentity(
            provider: .google, subject: subject, audience: token.audience, email: email,
            emailTrust: trust(in: email, token.claims, by: realm.policy), profile: UserProfile(token.claims),
            rawUserInfo: try userInfo(token.claims, of: subject),
            nonce: credential.rawNonce ?? token.claims.nonce, hostedDomain: hostedDomain(token.claims))
        identity.tokenIssuedAt = try token.claims.time("iat")
        return identity
    }

    /// Returns how far the token's statement about its email address is trusted. Google operates `gmail.com` and has
    /// verified the owners of Workspace domains (`hd`). Any other verified address belonged to the user when the Google
    /// account was created, but may belong to another person now. The policy can trust Google for these addresses too.
    static func trust(in email: EmailAddress?, _ claims: IdentityTokenClaims, by policy: Policy) -> EmailTrust {
        guard let email else { return .none }
        let isVerified = claims.isTrue("email_verified")
        if email.rawValue.endsExactly(with: "@gmail.com") {
            return isVerified || claims["email_verified"] == nil ? .authoritative : .none
        }
        guard isVerified else { return .none }
        return hostedDomain(claims) != nil || policy.trustsGoogleForEveryDomain ? .authoritative : .verified
    }

    private static func hostedDomain(_ claims: IdentityTokenClaims) -> HostedDomain? {
        claims.text("hd").flatMap(HostedDomain.init)
    }

    /// Returns the claims of the token as user information (`rawUserInfo`), in the format of Google's older endpoint.
    /// Firebase uses that format too.
    static func userInfo(_ claims: IdentityTokenClaims, of subject: String) throws -> String {
        var members: JSONObject = ["granted_scopes": .string(""), "id": .string(subject)]
        let names: [ByteText] = ["name", "given_name", "family_name", "locale", "email", "picture"]
        for name in names {
            members[name] = claims.text(name).map(JSONValue.string)
        }
        if claims["email"] != nil { members["verified_email"] = .bool(claims.isTrue("email_verified")) }
        return try StrictJSON.text(members)
    }
}
