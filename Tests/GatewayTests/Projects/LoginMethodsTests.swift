import HTTP
import Identity
import Postgres
import Testing

@testable import Gateway
@testable import Support

@Suite("The sign-in methods that an app may show", .serialized)
struct LoginMethodsTests {
    /// The outcome of ``startSignIn(with:at:)`` if the app may use the provider.
    static let usableOutcome = "400 MISSING_CONTINUE_URI"

    /// `providerId kind` of each method, in order.
    static func summary(_ exchange: Exchange) -> [String] {
        guard case .array(let methods)? = exchange.json["methods"] else { return [exchange.outcome] }
        return methods.map { "\($0["providerId"]?.string ?? "") \($0["kind"]?.string ?? "")" }
    }

    @Test("The sign-in methods begin with Apple if there is a social provider, and all have equal prominence")
    func order() async throws {
        let configurator = try await Configurator()
        try await configurator.enableApple()
        try await configurator.enableGoogle()
        let methods = ["password", "google.com", "apple.com"]
        _ = try await configurator.send(
            .patch, "apps/default", ["signInMethods": .array(methods.map { .string($0) })], mask: "signInMethods")
        let answer = try await configurator.loginMethods()
        #expect(Self.summary(answer) == ["apple.com apple", "password password", "google.com social"])
        #expect(answer.json["anonymous"] == false)
        #expect(answer.json["compliant"] == true)
        #expect(answer.json["violations"] == [])
        let shown = try #require(answer.json["methods"]).elements
        #expect(shown.allSatisfy { $0["prominence"] == "equal" && $0["visible"] == true })
        #expect(shown.map { $0["buttons"] != nil } == [true, false, false], "only Apple has rules for buttons")
        #expect(answer.headers["Cache-Control"] == "no-store")
    }

    @Test("The sign-in methods include Apple's rules for its buttons")
    func buttons() async throws {
        let configurator = try await Configurator()
        try await configurator.enableApple()
        let buttons = try await configurator.loginMethods().json["methods"]?[0]?["buttons"]
        #expect(buttons?["native"]?["titles"] == ["Sign in with Apple", "Sign up with Apple", "Continue with Apple"])
        #expect(buttons?["native"]?["minimumWidth"] == 140)
        #expect(buttons?["native"]?["minimumHeight"] == 30)
        let parameters = buttons?["web"]?["parameters"]
        #expect(parameters?["width"] == ["minimum": 130, "maximum": 375, "initial": 140])
        #expect(parameters?["height"] == ["minimum": 30, "maximum": 64, "initial": 30])
        #expect(parameters?["border_radius"] == ["minimum": 0, "maximum": 50, "initial": 15])
    }

    @Test(
        "If App Review guideline 4.8 is violated, social providers are neither shown nor usable, and the violation is named"
    )
    func violation() async throws {
        let configurator = try await Configurator()
        try await configurator.enableApple()
        try await configurator.enableGoogle()
        #expect(try await Self.startSignIn(with: "google.com", at: configurator) == Self.usableOutcome)
        // Without a private key, Sign in with Apple is incomplete.
        _ = try await configurator.gateway.database.pool.execute(
            "UPDATE identity_provider SET secret = NULL WHERE provider = 'apple.com'")
        let answer = try await Configurator(withFreshCachesOf: configurator).loginMethods()
        #expect(Self.summary(answer) == ["apple.com apple", "password password"])
        #expect(answer.json["compliant"] == false)
        #expect(answer.json["violations"] == ["APPLE_CANNOT_WORK"])
        #expect(answer.json["problems"]?[0]?["providerId"] == "google.com")
        let refused = try await Self.startSignIn(with: "google.com", at: Configurator(withFreshCachesOf: configurator))
        #expect(refused.hasPrefix("400 OPERATION_NOT_ALLOWED : LOGIN_SERVICES_4_8 : "))
        let apple = try await Self.startSignIn(with: "apple.com", at: Configurator(withFreshCachesOf: configurator))
        #expect(apple == Self.usableOutcome, "sign-in with Apple is not affected")
    }

    @Test("Sign-in starts only with a provider that is configured, enabled and among the app's methods")
    func start() async throws {
        let configurator = try await Configurator()
        try await configurator.enableApple()
        #expect(
            try await Self.startSignIn(with: "google.com", at: configurator)
                == "400 OPERATION_NOT_ALLOWED : The identity provider configuration is not found.")
        try await configurator.enableGoogle()
        _ = try await configurator.send(.patch, Configurator.googlePath, ["enabled": false], mask: "enabled")
        #expect(
            try await Self.startSignIn(with: "google.com", at: configurator)
                == "400 OPERATION_NOT_ALLOWED : The identity provider configuration is disabled.")
        _ = try await configurator.send(.patch, "apps/default", ["signInMethods": ["password"]], mask: "signInMethods")
        #expect(
            try await Self.startSignIn(with: "apple.com", at: configurator)
                == "400 OPERATION_NOT_ALLOWED : The app does not offer this sign-in method.")
    }

    @Test("The sign-in methods of another app of the project can be requested")
    func otherApp() async throws {
        let configurator = try await Configurator()
        _ = try await configurator.send(.post, "apps", ["appId": "web", "signInMethods": ["anonymous"]])
        let own = try await configurator.loginMethods()
        #expect(own.json["appId"] == "default")
        #expect(own.json["anonymous"] == true)
        #expect(try await configurator.loginMethods([("appId", "default")]).json == own.json)
        let web = try await configurator.loginMethods([("appId", "web")])
        #expect(
            web.json == [
                "appId": "web", "methods": [], "linkOnlyMethods": [], "anonymous": true, "emailLink": false,
                "compliant": true, "violations": [], "problems": [],
            ])
        #expect(try await configurator.loginMethods([("appId", "nobody")]).outcome == "404 Not Found")
        #expect(try await configurator.gateway.getWithoutAPIKey("/v1/loginMethods").status == 403)
    }

    /// Requests a sign-in without a continue URI, and returns the outcome. The gateway reports that the URI is missing
    /// only if the app may use the provider.
    static func startSignIn(with provider: String, at configurator: Configurator) async throws -> String {
        try await configurator.gateway.post("/v1/accounts:createAuthUri", ["providerId": .string(provider)]).outcome
    }
}
