internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

/// The parameters with which an app opens the sign-in page, or asks for its URL.
struct SignInPageParameters {
    var app: String?
    var continueUri: String?
    var state: String?
    var codeChallenge: String?
    var codeChallengeMethod: String?
    var screen: String?
    var language: String?
    var loginHint: String?
    var prompt: String?
    var maxAge: String?

    init() {}

    init(query request: Request) {
        app = request.query("app")
        continueUri = request.query("continueUri")
        state = request.query("state")
        codeChallenge = request.query("code_challenge")
        codeChallengeMethod = request.query("code_challenge_method")
        screen = request.query("screen")
        language = request.query("hl")
        loginHint = request.query("login_hint")
        prompt = request.query("prompt")
        maxAge = request.query("max_age")
    }

    /// Checks everything except the app and its URL, which are checked before.
    func checked(for app: App, _ target: AuthorizationTarget, in realm: Realm) throws(SignInPageRefusal)
        -> SignInPageRequest
    {
        guard let state, state.isVisibleASCII(1...512) else { throw .parameter(.state) }
        guard codeChallengeMethod?.isExactly("S256") == true else { throw .parameter(.challengeMethod) }
        guard let challenge = codeChallenge.flatMap(Base64URL.decode), challenge.count == 32 else {
            throw .parameter(.challenge)
        }
        var request = SignInPageRequest(app: app.id, target: target, state: state, challenge: challenge)
        request.tenant = realm.tenant?.id
        request.screen = try value(screen, .screen) ?? .signIn
        guard request.screen != .accounts else { throw .parameter(.screen) }
        request.prompt = try value(prompt, .prompt)
        request.language = language.flatMap { Language(tag: $0) }
        if let loginHint, !loginHint.isEmpty { request.loginHint = EmailAddress(loginHint)?.rawValue }
        if let maxAge, !maxAge.isEmpty {
            guard maxAge.utf8.count <= 9, let seconds = Int64(maxAge), seconds >= 0 else { throw .parameter(.maxAge) }
            request.maxAge = .seconds(seconds)
        }
        return request
    }

    private func value<Value: RawRepresentable<String>>(
        _ text: String?, _ parameter: SignInPageRefusal.Parameter
    ) throws(SignInPageRefusal) -> Value? {
        guard let text, !text.isEmpty else { return nil }
        guard let value = Value(rawValue: text), value.rawValue.isExactly(text) else { throw .parameter(parameter) }
        return value
    }
}
