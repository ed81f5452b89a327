internal import HTTP
internal import Identity

extension Endpoint {
    /// Tells Firebase's SDKs that no operation needs a reCAPTCHA token.
    static let getRecaptchaConfig = client("getRecaptchaConfig", .get, "/v2/recaptchaConfig") { _, client in
        try .json(GetRecaptchaConfigResponse(client.realm))
    }
}

private struct GetRecaptchaConfigResponse: Encodable {
    struct State: Encodable {
        let provider: String
        let enforcementState = "OFF"
    }

    /// There is no key, but Firebase's JavaScript SDK fails without the member.
    let recaptchaKey: String
    let recaptchaEnforcementState = [State(provider: "EMAIL_PASSWORD_PROVIDER"), State(provider: "PHONE_PROVIDER")]
    let useSmsBotScore = false
    let useSmsTollFraudProtection = false

    init(_ realm: Realm) {
        recaptchaKey = "projects/\(realm.project.id)/keys/none"
    }
}
