import HTTP
import IPAddresses
import Identity
import Postgres
import Simulators
import Testing

@testable import API
@testable import Gateway
@testable import Support

/// A server auth code is the authorization code that Google's SDK gives an app for the project's web client.
@Suite("Signing in with a server auth code of Google", .serialized)
struct ServerAuthCodeTests {
    private static let secondClientID = "ios.apps.googleusercontent.com"
    private static let rejected = "400 INVALID_IDP_RESPONSE : The provider's token endpoint rejected the request: "
    private static let missing =
        "400 INVALID_CREDENTIAL_OR_PROVIDER_ID : The request has no ID token, access token or code of this provider."

    @Test("A code proves the identity, as a form or as an object, and the response has the provider's tokens")
    func signIn() async throws {
        let gateway = try await TestGateway()
        let withIDToken = try await gateway.signIn(gateway.googleCredential())
        let code = try gateway.serverAuthCode(isOffline: true)
        let first = try await gateway.signIn(code: code)
        #expect(first.status == 200, "\(first.text)")
        #expect(first.json["localId"] == withIDToken.json["localId"])
        #expect(first.json["providerId"] == "google.com")
        #expect(first.json["federatedId"] == withIDToken.json["federatedId"])
        let idToken = try claims(of: try #require(first.json["oauthIdToken"]?.string))
        #expect(idToken["aud"]?.string == SimulatedProviders.googleClientID)
        #expect(first.json["oauthAccessToken"]?.string?.hasPrefix("ya29.") == true)
        #expect(first.json["oauthExpireIn"] == 3599)
        #expect(first.json["oauthRefreshToken"] == nil)
        let typed = try await gateway.signInWithIdp([
            "credential": [
                "providerId": "google.com",
                "authorizationCode": .string(try gateway.serverAuthCode(isOffline: true, forcesConsent: true)),
            ], "returnRefreshToken": true,
        ])
        #expect(typed.json["localId"] == first.json["localId"])
        #expect(typed.json["oauthRefreshToken"]?.string?.hasPrefix("1//") == true)
        #expect(gateway.tokenRequestCount == 2)
        #expect(try await gateway.tables(containing: code) == [])
    }

    @Test("The code is redeemed with the secret of the first client ID")
    func clientSecret() async throws {
        let gateway = try await TestGateway()
        let configurator = Configurator(gateway: gateway, serviceKey: try await ServiceKey(in: gateway))
        let configured = try await configurator.send(
            .patch, Configurator.googlePath, ["clientSecret": "web-secret"], mask: "clientSecret")
        #expect(configured.status == 200, "\(configured.text)")
        gateway.simulators.google.register(
            GoogleClient(id: SimulatedProviders.googleClientID, secret: "web-secret"))
        let code = try gateway.simulators.google.authorize(.mary, client: SimulatedProviders.googleClientID)
        #expect(try await gateway.withFreshCaches().signIn(code: code).outcome == "200")
    }

    struct Rejected: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var members = ""
        let outcome: String
        var tokenRequestCount = 1
        let code: @Sendable (TestGateway) throws -> String
    }

    private static let rejectedCodes = [
        Rejected(testDescription: "an unknown code", outcome: rejected + "invalid_grant.") { _ in "4/0unknown" },
        Rejected(testDescription: "an expired code", outcome: rejected + "invalid_grant.") { gateway in
            let code = try gateway.serverAuthCode()
            gateway.clock.advance(by: .seconds(600))
            return code
        },
        Rejected(testDescription: "a code for another client", outcome: rejected + "invalid_grant.") { gateway in
            gateway.simulators.google.register(GoogleClient(id: secondClientID))
            return try gateway.simulators.google.authorize(.mary, client: secondClientID)
        },
        Rejected(testDescription: "a code of a browser", outcome: rejected + "redirect_uri_mismatch.") { gateway in
            let redirectURI = "https://auth.example.com/__/auth/handler"
            gateway.simulators.google.register(
                GoogleClient(id: SimulatedProviders.googleClientID, redirectURIs: [redirectURI]))
            return try gateway.simulators.google.authorize(
                .mary, client: SimulatedProviders.googleClientID, redirectURI: redirectURI)
        },
        Rejected(testDescription: "a code with PKCE", outcome: rejected + "invalid_grant.") {
            try $0.serverAuthCode(codeChallenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        },
        Rejected(
            testDescription: "a code of 2049 bytes",
            outcome: "400 INVALID_IDP_RESPONSE : The provider's response is not valid.", tokenRequestCount: 0
        ) { _ in String(repeating: "x", count: 2049) },
        Rejected(testDescription: "an empty code", outcome: missing, tokenRequestCount: 0) { _ in "" },
        Rejected(
            testDescription: "a code without the nonce of the request", members: "&nonce=another",
            outcome: "400 MISSING_OR_INVALID_NONCE : Nonce is missing in the ID token."
        ) { try $0.serverAuthCode() },
    ]

    @Test("A code that proves nothing is rejected, and no account is created", arguments: rejectedCodes)
    func rejection(row: Rejected) async throws {
        let gateway = try await TestGateway()
        _ = try gateway.serverAuthCode()
        let exchange = try await gateway.signIn(code: try row.code(gateway), members: row.members)
        #expect(exchange.outcome == row.outcome)
        #expect(gateway.tokenRequestCount == row.tokenRequestCount)
        let count = try await gateway.database.pool.query("SELECT count(*) AS count FROM account")[0]
        #expect(try count.decode("count", as: Int.self) == 0)
    }

    @Test("A code is valid once")
    func once() async throws {
        let gateway = try await TestGateway()
        let code = try gateway.serverAuthCode()
        #expect(try await gateway.signIn(code: code).outcome == "200")
        #expect(try await gateway.signIn(code: code).outcome == Self.rejected + "invalid_grant.")
    }

    @Test("A code alone proves no identity of a provider whose codes are for the browser, or for later use")
    func otherProviders() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        for provider in ["oidc.corp", "apple.com"] {
            let outcome = try await gateway.signIn(code: "code", of: provider).outcome
            #expect(outcome == Self.missing, "\(provider)")
        }
        #expect(gateway.tokenRequestCount == 0)
    }

    @Test("If the request has an ID token too, the ID token decides, and the code stays valid")
    func besideIDToken() async throws {
        let gateway = try await TestGateway()
        let code = try gateway.serverAuthCode(of: .emmy)
        var credential = try gateway.googleCredential(.mary)
        credential.code = code
        let signedIn = try await gateway.signIn(credential)
        #expect(signedIn.json["email"] == "mary.somerville@gmail.com", "\(signedIn.text)")
        #expect(signedIn.json["oauthIdToken"]?.string == credential.idToken)
        #expect(gateway.tokenRequestCount == 0)
        #expect(try await gateway.signIn(code: code).json["email"] == "emmy.noether@university.example")
        credential.idToken += "x"
        #expect(try await gateway.signIn(credential).wireCode == "INVALID_IDP_RESPONSE")
    }

    @Test("The ID token of the code is checked like one from an app: nonce and hosted domain")
    func claimsOfIDToken() async throws {
        let gateway = try await TestGateway()
        let withNonce = try await gateway.signIn(
            code: try gateway.serverAuthCode(nonce: "raw"), members: "&nonce=raw")
        #expect(withNonce.outcome == "200")
        let restricted = try await gateway.mergingProviderSettings("google.com", HostedDomainTests.universityOnly)
        let outside = try await restricted.signIn(code: restricted.serverAuthCode())
        #expect(outside.outcome.hasPrefix(HostedDomainTests.refusal))
        #expect(try await restricted.signIn(code: restricted.serverAuthCode(of: .emmy)).outcome == "200")
    }

    struct NotAllowed: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let wireCode = "OPERATION_NOT_ALLOWED"
        let configure: @Sendable (TestGateway) async throws -> TestGateway
    }

    private static let configurations = [
        NotAllowed(testDescription: "the provider is disabled") {
            try await $0.mergingProviderSettings("google.com", #"{"enabled": false}"#)
        },
        NotAllowed(testDescription: "the app does not offer the provider") {
            try await $0.withAppSettings(#"{"signInMethods": ["apple.com"]}"#)
        },
        NotAllowed(testDescription: "the app offers the provider only for linking") {
            try await $0.withAppSettings(LinkOnlyTests.googleIsLinkOnly)
        },
        NotAllowed(testDescription: "the app violates guideline 4.8") {
            try await $0.withAppSettings(#"{"signInMethods": ["google.com"]}"#)
        },
        NotAllowed(testDescription: "the app has no client ID of the provider") {
            try await $0.withAppSettings(#"{"clientIds": {"google.com": []}}"#)
        },
    ]

    @Test("No request is sent to the provider for an app that must not use it", arguments: configurations)
    func notAllowed(row: NotAllowed) async throws {
        let gateway = try await row.configure(TestGateway())
        let code = try gateway.serverAuthCode()
        let exchange = try await gateway.signIn(code: code)
        #expect(exchange.wireCode == row.wireCode, "\(exchange.text)")
        #expect(gateway.tokenRequestCount == 0)
        #expect(gateway.simulators.requestLog.urls.isEmpty)
        // The code is still valid.
        let allowed = try await gateway.mergingProviderSettings("google.com", #"{"enabled": true}"#)
        #expect(try await allowed.withAppSettings("{}").signIn(code: code).outcome == "200")
    }

    @Test(
        "If Google does not respond, the request can be repeated",
        arguments: [SimulatedGoogle.tokenPath, SimulatedGoogle.keysPath])
    func unavailable(path: String) async throws {
        let gateway = try await TestGateway()
        let code = try gateway.serverAuthCode()
        gateway.simulators.google.faultInjection.injectFault(.unavailable, at: path)
        #expect(try await gateway.signIn(code: code).status == 503)
        gateway.simulators.google.faultInjection.reset()
        gateway.clock.advance(by: .seconds(61))
        #expect(try await gateway.signIn(code: code).outcome == "200")
    }

    @Test("If the ID token of a redeemed code cannot be verified, the response asks for no retry")
    func notVerifiable() async throws {
        let gateway = try await TestGateway()
        // The gateway caches Google's keys, which are then replaced.
        #expect(try await gateway.signIn(gateway.googleCredential()).status == 200)
        try gateway.simulators.google.rotateKeys(keepingOld: false)
        let code = try gateway.serverAuthCode()
        gateway.simulators.google.faultInjection.injectFault(.unavailable, at: SimulatedGoogle.keysPath)
        let exchange = try await gateway.signIn(code: code)
        #expect(exchange.wireCode == "INVALID_IDP_RESPONSE", "\(exchange.text)")
        #expect(gateway.tokenRequestCount == 1)
    }

    @Test("A second factor, a confirmation and a merge do not redeem the code again")
    func laterSteps() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        #expect(try await gateway.link(gateway.googleCredential(), to: ada.idToken).status == 200)
        let enrolled = try await gateway.enrol(ada)
        let first = try await gateway.signIn(code: try gateway.serverAuthCode())
        #expect(first.json["mfaPendingCredential"] != nil, "\(first.text)")
        let done = try await gateway.finalizeSignIn(
            first, enrolled.factor, enrolled.app.code(at: gateway.clock.now))
        #expect(done.outcome == "200")
        #expect(gateway.tokenRequestCount == 1)

        let guest = try await gateway.signUpAnonymously()
        let conflict = try await gateway.signIn(
            code: try gateway.serverAuthCode(), ["idToken": .string(guest.idToken)])
        #expect(conflict.wireCode == "FEDERATED_USER_ID_ALREADY_LINKED", "\(conflict.text)")
        let pending = try #require(conflict.pendingToken)
        #expect(try await gateway.signInWithIdp(["pendingToken": .string(pending)]).status == 200)
        #expect(gateway.tokenRequestCount == 2)

        #expect(try await gateway.signIn(gateway.googleCredential(.emmy)).status == 200)
        let preview = try await gateway.post(
            "/v1/accounts:merge",
            [
                "idToken": .string(guest.idToken), "dryRun": true,
                "credential": [
                    "providerId": "google.com", "authorizationCode": .string(try gateway.serverAuthCode(of: .emmy)),
                ],
            ])
        let mergeToken = try #require(preview.json["mergeToken"], "\(preview.text)")
        let merged = try await gateway.post(
            "/v1/accounts:merge", ["idToken": .string(guest.idToken), "mergeToken": mergeToken])
        #expect(merged.outcome == "200")
        #expect(gateway.tokenRequestCount == 3)
    }

    @Test("A rate limit applies to the codes that one network sends, together with its sign-ins in the browser")
    func limit() async throws {
        let gateway = try await TestGateway(limitsRates: true)
        let code = try gateway.serverAuthCode()
        let network = ClientNetwork(peer: "192.0.2.1", forwardedFor: [], trusted: [])
        for _ in 0..<Policy.authorizationFlowLimit {
            try gateway.limits?.limiter.count(
                .authorizationFlows(from: network), Policy.authorizationFlowLimit, Policy.authorizationFlowWindow,
                ID("demo"))
        }
        #expect(try await gateway.signIn(code: code).outcome == LimitedGateway.tooManyAttempts)
        #expect(gateway.tokenRequestCount == 0)
        let other = try await gateway.post(
            "/v1/accounts:signInWithIdp", .object(TestGateway.body(code: code)), from: "198.51.100.9")
        #expect(other.outcome == "200")
    }
}

extension TestGateway {
    /// The code that Google's SDK gives an app for the project's web client.
    fileprivate func serverAuthCode(
        of person: SimulatedPerson = .mary, nonce: String? = nil, codeChallenge: String? = nil,
        isOffline: Bool = false, forcesConsent: Bool = false
    ) throws -> String {
        simulators.google.register(GoogleClient(id: SimulatedProviders.googleClientID))
        return try simulators.google.authorize(
            person, client: SimulatedProviders.googleClientID, nonce: nonce, codeChallenge: codeChallenge,
            isOffline: isOffline, forcesConsent: forcesConsent)
    }

    fileprivate static func body(
        code: String, of provider: String = "google.com", members: String = ""
    ) -> [String: JSON] {
        [
            "postBody": .string("code=\(code.percentEncoded)&providerId=\(provider)\(members)"),
            "requestUri": "http://localhost",
        ]
    }

    /// - Parameters:
    ///   - members: further parameters of the `postBody`.
    ///   - more: further members of the request.
    fileprivate func signIn(
        code: String, of provider: String = "google.com", members: String = "", _ more: [String: JSON] = [:]
    ) async throws -> Exchange {
        try await signInWithIdp(
            Self.body(code: code, of: provider, members: members).merging(more) { $1 })
    }
}
