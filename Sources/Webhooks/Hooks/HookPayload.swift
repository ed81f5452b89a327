internal import Crypto
internal import Encoding
internal import IPAddresses
internal import Identity
internal import JSON

/// The claims of the token that a blocking function gets.
struct HookPayload {
    private static let lifetime: Int64 = 600
    private static let rawUserInfoLimit = 32 * 1024

    private var claims: JSONObject

    init(_ request: HookRequest, id: String, issuer: String, at now: Instant) {
        claims = [
            "iss": .string(issuer), "aud": .string(request.url.rawValue), "iat": .integer(now.seconds),
            "exp": .integer(now.seconds + Self.lifetime), "event_id": .string(id),
            "event_type": .string(request.event.rawValue),
            // Firebase's library for Python fails without these two.
            "user_agent": .string(request.context.device ?? ""), "ip_address": .string(""),
        ]
        set("ip_address", request.context.network.address.map { IPAddress(high: $0.high, low: $0.low).description })
        set("locale", request.context.language?.rawValue)
        set("tenant_id", request.realm.id.tenant?.rawValue)
        switch request.subject {
        case .account(let account, let signIn, let secondFactor):
            set("sub", account.id.rawValue)
            set("sign_in_method", signIn.method)
            set("sign_in_second_factor", secondFactor?.rawValue)
            if let raw = signIn.rawUserInfo, raw.utf8.count <= Self.rawUserInfoLimit {
                set("raw_user_info", raw)
                claims["sign_in_attributes"] = JSONValue(parsing: raw)
            }
            forward(signIn.tokens, as: request.realm.project.blockingFunctions)
            // As in Firebase's emulator, an account that does not exist yet has only the providers of its identities.
            claims["user_record"] = .hookUserRecord(
                account, listsAllProviders: request.event != .beforeCreate, in: request.realm)
        case .email(let address, let purpose):
            set("email", address.rawValue)
            set("email_type", purpose == .signIn ? "EMAIL_SIGN_IN" : "PASSWORD_RESET")
        case .sms(let number, let purpose):
            set("phone_number", number.rawValue)
            set("sms_type", purpose.rawValue)
        }
    }

    private mutating func set(_ name: ByteText, _ value: String?) {
        if let value { claims[name] = .string(value) }
    }

    private mutating func forward(_ tokens: ProviderTokens?, as functions: BlockingFunctions) {
        guard let tokens else { return }
        if functions.forwardsIDToken, !tokens.idToken.isEmpty { set("oauth_id_token", tokens.idToken) }
        if functions.forwardsAccessToken {
            set("oauth_access_token", tokens.accessToken)
            claims["oauth_expires_in"] = tokens.expiresIn.map { .integer($0) }
        }
        if functions.forwardsRefreshToken { set("oauth_refresh_token", tokens.refreshToken) }
    }

    func json() throws -> [UInt8] { try StrictJSON.encode(JSONValue.object(claims)) }

    /// Identifies what the function sees of the account, except times.
    static func digest(of request: HookRequest) throws -> [UInt8] {
        guard case .account(var account, let signIn, let secondFactor) = request.subject else { return [] }
        account.lastSignInAt = nil
        let copy = HookRequest(
            request.event, at: request.url, .account(account, signIn, secondFactor: secondFactor), in: request.realm,
            from: request.context)
        return Digest.sha256(try HookPayload(copy, id: "", issuer: "", at: Instant(seconds: 0)).json())
    }
}

extension JSONValue {
    /// - Returns: `nil` if the text is not strict JSON.
    fileprivate init?(parsing text: String) {
        guard let value = try? StrictJSON.decode(JSONValue.self, from: Array(text.utf8)) else { return nil }
        self = value
    }

    /// An account, as Firebase's libraries for functions read it.
    fileprivate static func hookUserRecord(
        _ account: Account, listsAllProviders: Bool, in realm: Realm
    ) -> JSONValue {
        let providers = account.identities.map { hookProvider($0) } + (listsAllProviders ? account.ownProviders : [])
        var metadata: JSONObject = ["creation_time": .integer(account.createdAt.milliseconds)]
        metadata["last_sign_in_time"] = account.lastSignInAt.map { .integer($0.milliseconds) }
        var record: JSONObject = [
            "uid": .string(account.id.rawValue), "email_verified": .bool(account.statesVerifiedEmail),
            "disabled": .bool(account.isDisabled), "metadata": .object(metadata),
            "tokens_valid_after_time": .integer(account.validSince.seconds),
            "provider_data": .array(providers),
        ]
        record["email"] = account.email.map { .string($0.rawValue) }
        record["display_name"] = account.displayName.map { .string($0) }
        record["photo_url"] = account.photoURL.map { .string($0.rawValue) }
        record["phone_number"] = account.phoneNumber.map { .string($0.rawValue) }
        record["custom_claims"] = account.customClaims.flatMap { JSONValue(parsing: $0.json) } ?? .object([:])
        record["tenant_id"] = realm.id.tenant.map { .string($0.rawValue) }
        let factors = account.secondFactors.factors
        if !factors.isEmpty {
            record["multi_factor"] = .object(["enrolled_factors": .array(factors.map { .hookFactor($0) })])
        }
        return .object(record)
    }

    private static func hookProvider(_ identity: LinkedIdentity) -> JSONValue {
        var provider: JSONObject = [
            "provider_id": .string(identity.provider.rawValue), "uid": .string(identity.subject),
        ]
        provider["email"] = identity.email.map { .string($0.rawValue) }
        provider["display_name"] = identity.profile.displayName.map { .string($0) }
        provider["photo_url"] = identity.profile.photoURL.map { .string($0.rawValue) }
        return .object(provider)
    }

    private static func hookFactor(_ factor: Factor) -> JSONValue {
        var object: JSONObject = [
            "uid": .string(factor.id.rawValue), "factor_id": .string(factor.kind.rawValue),
            "enrollment_time": .string(factor.enrolledAt.iso8601),
        ]
        object["display_name"] = factor.displayName.map { .string($0) }
        object["phone_number"] = factor.phoneNumber.map { .string($0.rawValue) }
        return .object(object)
    }
}

extension Account {
    /// The sign-in methods other than identities, in the form of `provider_data`.
    fileprivate var ownProviders: [JSONValue] {
        var providers: [JSONValue] = []
        if let email, hasPassword || usesEmailLinks {
            var provider: JSONObject = [
                "provider_id": .string("password"), "uid": .string(email.rawValue), "email": .string(email.rawValue),
            ]
            provider["display_name"] = displayName.map { .string($0) }
            provider["photo_url"] = photoURL.map { .string($0.rawValue) }
            providers.append(.object(provider))
        }
        if let number = phoneNumber?.rawValue {
            providers.append(
                .object(["provider_id": .string("phone"), "uid": .string(number), "phone_number": .string(number)]))
        }
        return providers
    }
}
