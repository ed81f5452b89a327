internal import Encoding
internal import Identity
internal import JSON

/// The payload of ID tokens: Firebase's claims, and `sid`, the session (OpenID Connect Front-Channel Logout §3).
struct IDTokenClaims: Encodable {
    struct Firebase: Encodable {
        let identities: [String: [String]]
        let signInProvider: String
        let tenant: String?
        let signInAttributes: SignInAttributes?
        let secondFactor: String?
        let secondFactorIdentifier: String?

        enum CodingKeys: String, CodingKey {
            case identities, tenant
            case signInAttributes = "sign_in_attributes"
            case signInProvider = "sign_in_provider"
            case secondFactor = "sign_in_second_factor"
            case secondFactorIdentifier = "second_factor_identifier"
        }
    }

    /// The provider's statements about the user who signed in.
    struct SignInAttributes: Encodable {
        /// Apple's claim as the gateway first received it: 0 unsupported, 1 unknown, 2 likely real.
        let realUserStatus: Int

        enum CodingKeys: String, CodingKey {
            case realUserStatus = "real_user_status"
        }

        /// - Returns: `nil` unless the session was opened with an Apple identity that has the status.
        init?(of session: Session, of account: Account) {
            guard session.method == .apple, let status = account.identity(of: .apple)?.realUserStatus else {
                return nil
            }
            realUserStatus = status
        }
    }

    /// Who acts for the user (RFC 8693 §4.1).
    struct Actor: Encodable {
        let sub: String
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
    let phoneNumber: String?
    /// `anonymous` for a session that was opened without a credential, otherwise absent.
    let providerID: String?
    /// `nil` in the tokens of the user's own sessions.
    let act: Actor?
    let firebase: Firebase

    enum CodingKeys: String, CodingKey {
        case iss, aud, sub, sid, iat, exp, name, picture, email, act, firebase
        case authTime = "auth_time"
        case userID = "user_id"
        case emailVerified = "email_verified"
        case phoneNumber = "phone_number"
        case providerID = "provider_id"
    }

    init(for account: Account, session: Session, issuer: String, in realm: Realm, at now: Instant) {
        iss = issuer
        aud = Self.audience(of: realm, isRestricted: session.isRestricted(by: realm.policy, of: account))
        sub = account.id.rawValue
        sid = session.id.rawValue
        iat = now.seconds
        exp = now.seconds + session.idTokenLifetime(by: realm.policy, at: now).components.seconds
        act = session.support.map { Actor(sub: $0.actor) }
        authTime = session.authenticatedAt.seconds
        userID = account.id.rawValue
        name = account.displayName
        picture = account.photoURL?.rawValue
        email = account.email?.rawValue
        emailVerified = account.email == nil ? nil : account.statesVerifiedEmail
        phoneNumber = account.phoneNumber?.rawValue
        providerID = session.method == .anonymous ? session.method.rawValue : nil
        var identities = Dictionary(grouping: account.identities, by: \.provider.rawValue)
            .mapValues { $0.map(\.subject) }
        if let email = account.email { identities["email"] = [email.rawValue] }
        if let phoneNumber = account.phoneNumber { identities["phone"] = [phoneNumber.rawValue] }
        firebase = Firebase(
            identities: identities, signInProvider: session.method.rawValue, tenant: realm.tenant?.id.rawValue,
            signInAttributes: SignInAttributes(of: session, of: account),
            secondFactor: session.secondFactor?.method.rawValue,
            secondFactorIdentifier: session.secondFactor?.factor?.rawValue)
    }
}

extension IDTokenClaims {
    /// The audience of a project's ID tokens. The tokens of a restricted session (see ``Session/isRestricted(by:of:)``)
    /// have another audience, so that no backend accepts them. No project ID contains a slash.
    static func audience(of realm: Realm, isRestricted: Bool) -> String {
        isRestricted ? "\(realm.project.id)/second-factor-enrollment" : realm.project.id.rawValue
    }

    /// Returns the payload with added claims, which come from administrators and from custom tokens. An added claim may
    /// replace only the standard claims `name` and `picture`; otherwise the standard claim remains.
    func payload(adding added: [Claims]) throws -> [UInt8] {
        guard !added.isEmpty else { return try StrictJSON.encode(self) }
        let own = try StrictJSON.decode(JSONObject.self, from: try StrictJSON.encode(self))
        var all: JSONObject = [:]
        for claims in added {
            all.merge(try StrictJSON.decode(JSONObject.self, from: Array(claims.json.utf8))) { $1 }
        }
        // Some readers ignore case, so claims that differ from standard claims only in case are removed too.
        let reservedNames = Set(own.keys.map(Claims.folded))
        all = all.filter { name, _ in
            name == "name" || name == "picture" || !reservedNames.contains(Claims.folded(name))
        }
        return try StrictJSON.encode(all.merging(own) { added, _ in added })
    }
}
