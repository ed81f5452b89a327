internal import Identity

/// The payload of our ID tokens: Firebase's claims, and `sid`, the session (OpenID Connect Front-Channel Logout §3).
struct IDTokenClaims: Codable {
    struct Firebase: Codable {
        let identities: [String: [String]]
        let signInProvider: String

        enum CodingKeys: String, CodingKey {
            case identities
            case signInProvider = "sign_in_provider"
        }
    }

    let iss: String
    let aud: String
    let sub: String
    let sid: String
    let iat: Int64
    let exp: Int64
    let authTime: Int64
    let userID: String
    let name: String?
    let picture: String?
    let email: String?
    let emailVerified: Bool?
    /// `anonymous` for accounts without a credential, absent for all others.
    let providerID: String?
    let firebase: Firebase

    enum CodingKeys: String, CodingKey {
        case iss, aud, sub, sid, iat, exp, name, picture, email, firebase
        case authTime = "auth_time"
        case userID = "user_id"
        case emailVerified = "email_verified"
        case providerID = "provider_id"
    }

    init(for account: Account, session: Session, issuer: String, in project: Project, at now: Instant) {
        iss = issuer
        aud = project.id.rawValue
        sub = account.id.rawValue
        sid = session.id.rawValue
        iat = now.seconds
        exp = now.seconds + project.policy.idTokenLifetime.components.seconds
        authTime = session.authenticatedAt.seconds
        userID = account.id.rawValue
        name = account.displayName
        picture = account.photoURL
        email = account.email?.rawValue
        emailVerified = account.email == nil ? nil : account.emailIsVerified
        providerID = session.method == .anonymous ? session.method.rawValue : nil
        var identities = Dictionary(grouping: account.identities, by: \.provider.rawValue)
            .mapValues { $0.map(\.subject) }
        if let email = account.email { identities["email"] = [email.rawValue] }
        firebase = Firebase(identities: identities, signInProvider: session.method.rawValue)
    }
}
