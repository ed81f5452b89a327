import Identity
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

/// App Review guideline 4.8 at the sign-in itself. The admin API rejects a configuration that violates the guideline,
/// so these tests write the configuration directly to the database.
@Suite("Sign-in that violates guideline 4.8")
struct LoginServicesAtSignInTests {
    private static let refusal = "400 OPERATION_NOT_ALLOWED : LOGIN_SERVICES_4_8"

    /// A gateway whose only app has these settings.
    ///
    /// - Parameter appleHasKey: whether Apple is configured with a private key. Otherwise, a sign-in with Google
    ///   violates the guideline.
    private func gateway(app settings: String = "{}", appleHasKey: Bool = false) async throws -> TestGateway {
        let gateway = try await TestGateway()
        _ = try await gateway.database.pool.execute("UPDATE app SET settings = \(settings)::text::jsonb")
        if !appleHasKey {
            _ = try await gateway.database.pool.execute(
                "UPDATE identity_provider SET secret = NULL WHERE provider = 'apple.com'")
        }
        return try gateway.withFreshCaches()
    }

    @Test(
        "Google is rejected on every platform if Apple is not completely configured; Apple is accepted",
        arguments: AppSettings.Platform.allCases)
    func platforms(platform: AppSettings.Platform) async throws {
        let gateway = try await gateway(app: #"{"platform": "\#(platform.rawValue)"}"#)
        #expect(try await gateway.signIn(gateway.googleCredential()).outcome.hasPrefix(Self.refusal))
        #expect(try await gateway.signIn(gateway.appleCredential()).status == 200)
    }

    @Test("A pending token is rejected too if the sign-in violates guideline 4.8")
    func pendingToken() async throws {
        let compliant = try await gateway(appleHasKey: true)
        _ = try await compliant.signIn(compliant.googleCredential())
        let anonymous = try await compliant.signUpAnonymously()
        let pending = try #require(
            try await compliant.link(compliant.googleCredential(), to: anonymous.idToken).pendingToken)
        _ = try await compliant.database.pool.execute(
            "UPDATE identity_provider SET secret = NULL WHERE provider = 'apple.com'")
        let violating = try compliant.withFreshCaches()
        #expect(
            try await violating.signInWithIdp(["pendingToken": .string(pending)]).outcome.hasPrefix(Self.refusal))
    }

    @Test(
        "Only an exemption that covers the provider permits the sign-in",
        arguments: [
            ("organisationAccounts", false), ("governmentIdentity", false), ("thirdPartyClient", true),
            ("alternativeMarketplace", false), ("ownAccountsOnly", false),
        ])
    func exemption(kind: String, isAccepted: Bool) async throws {
        let gateway = try await gateway(
            app: #"{"signInMethods": ["google.com"], "exemption": {"kind": "\#(kind)", "reason": "its client"}}"#)
        let exchange = try await gateway.signIn(gateway.googleCredential())
        #expect((exchange.status == 200) == isAccepted, "\(exchange.text)")
    }

    @Test("An exemption whose reason says nothing does not permit the sign-in", arguments: ["", " \u{3000}", "n/a"])
    func blankReason(reason: String) async throws {
        let gateway = try await gateway(
            app:
                #"{"signInMethods": ["google.com"], "exemption": {"kind": "thirdPartyClient", "reason": "\#(reason)"}}"#
        )
        #expect(try await gateway.signIn(gateway.googleCredential()).outcome.hasPrefix(Self.refusal))
    }

    @Test("An exemption as the client of one service does not permit the sign-in beside passwords and guests")
    func besidePasswords() async throws {
        let gateway = try await gateway(app: #"{"exemption": {"kind": "thirdPartyClient", "reason": "its mail"}}"#)
        #expect(try await gateway.signIn(gateway.googleCredential()).outcome.hasPrefix(Self.refusal))
    }

    @Test("The client of one service neither adds passkeys nor signs in or up with them")
    func passkeysOfClientOfOneService() async throws {
        let settings =
            #"{"signInMethods": ["google.com"], "exemption": {"kind": "thirdPartyClient", "reason": "its mail"}}"#
        let client = try await gateway().withAppSettings(settings)
        let idToken = try TestGateway.Tokens(await client.signIn(client.googleCredential())).idToken
        for name in ["Enrollment", "SignIn", "SignUp"] {
            for step in ["start", "finalize"] {
                let rejected = try await client.post(
                    "/v2/accounts/passkey\(name):\(step)",
                    [
                        "idToken": .string(idToken), "authenticatorRegistrationResponse": ["id": "abcd"],
                        "authenticatorAuthenticationResponse": ["id": "abcd"],
                    ])
                #expect(
                    rejected.outcome == "400 OPERATION_NOT_ALLOWED : The app does not offer this sign-in method.",
                    "\(name):\(step) \(rejected.text)")
            }
        }
    }

    @Test("The client of one service accepts neither a password nor a custom token nor a new guest")
    func clientOfOneService() async throws {
        let unrestricted = try await gateway()
        let backend = try await ServiceKey(in: unrestricted)
        let user = ["email": "ada@example.com", "password": "correct horse battery"]
        let body = JSON.object(user.mapValues { .string($0) })
        func outcomes(at gateway: TestGateway) async throws -> [String] {
            [
                try await gateway.post("/v1/accounts:signUp", body).outcome,
                try await gateway.post("/v1/accounts:signInWithPassword", body).outcome,
                try await gateway.signIn(customToken: try backend.customToken(at: gateway.clock.now)).outcome,
                try await gateway.post("/v1/accounts:signUp").outcome,
            ]
        }
        #expect(try await outcomes(at: unrestricted) == ["200", "200", "200", "200"])
        let settings =
            #"{"signInMethods": ["google.com"], "exemption": {"kind": "thirdPartyClient", "reason": "its mail"}}"#
        let client = try await unrestricted.withAppSettings(settings)
        #expect(try await client.signIn(client.googleCredential()).status == 200)
        let refusal = "400 OPERATION_NOT_ALLOWED : The app does not offer this sign-in method."
        #expect(try await outcomes(at: client) == [refusal, refusal, refusal, refusal])
    }

    @Test(
        "If the policy limits the rule, Google alone is accepted, except in an app that is for Apple's platforms",
        arguments: [
            (#"{"platform": "web", "distribution": "web"}"#, true),
            (#"{"platform": "android", "distribution": "playStore"}"#, true),
            (#"{"platform": "ios"}"#, false), (#"{"platform": "other"}"#, false), ("{}", false),
            (#"{"platform": "web", "bundleIds": ["com.example.app"]}"#, false),
            (#"{"platform": "web", "distribution": "appStore"}"#, false),
            (#"{"platform": "android", "distribution": "marketplace"}"#, false),
        ])
    func limitedByPolicy(settings: String, isAccepted: Bool) async throws {
        let violating = try await gateway(app: settings)
        let before = try await violating.signIn(violating.googleCredential()).outcome
        #expect(before.hasPrefix(Self.refusal))
        #expect(
            before.contains("requiresAppleOnEveryPlatform") == isAccepted, "the refusal names the policy if it helps")
        _ = try await violating.database.pool.execute(
            "UPDATE realm SET policy = policy || '{\"requiresAppleOnEveryPlatform\": \"false\"}'")
        let limited = try violating.withFreshCaches()
        #expect((try await limited.signIn(limited.googleCredential()).status == 200) == isAccepted)
        let start = try await limited.post("/v1/accounts:createAuthUri", ["providerId": "google.com"]).outcome
        #expect((start == LoginMethodsTests.usableOutcome) == isAccepted)
    }

    @Test("Sign-in is accepted in the grace period of an app, and rejected after it")
    func grace() async throws {
        let gateway = try await gateway()
        let end = gateway.clock.now + .seconds(60)
        let tolerated = try await gateway.withAppSettings(#"{"graceEndsAt": \#(end.microseconds)}"#)
        #expect(try await tolerated.signIn(tolerated.googleCredential()).status == 200)
        gateway.clock.advance(by: .seconds(61))
        let afterGrace = try gateway.withFreshCaches()
        #expect(try await afterGrace.signIn(afterGrace.googleCredential()).outcome.hasPrefix(Self.refusal))
    }

    @Test("A provider that the app does not offer is rejected")
    func notOffered() async throws {
        let gateway = try await gateway(app: #"{"signInMethods": ["apple.com"]}"#, appleHasKey: true)
        #expect(
            try await gateway.signIn(gateway.googleCredential()).outcome
                == "400 OPERATION_NOT_ALLOWED : The app does not offer this sign-in method.")
        #expect(try await gateway.signIn(gateway.appleCredential()).status == 200)
    }
}
