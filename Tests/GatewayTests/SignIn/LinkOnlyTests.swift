import HTTP
import Identity
import Postgres
import Simulators
import Testing

@testable import Support

/// *Link-only* means here: the app offers the provider only for linking an identity to an account.
@Suite("A provider that an app offers only for linking", .serialized)
struct LinkOnlyTests {
    static let googleIsLinkOnly = #"{"linkOnlyMethods": ["google.com"]}"#
    static let refusal =
        "400 OPERATION_NOT_ALLOWED : The app offers the identity provider only for linking, not for signing in."

    @Test("Linking a link-only identity does not need Apple as a provider, because guideline 4.8 applies to sign-in")
    func linking() async throws {
        let gateway = try await TestGateway().withAppSettings(Self.googleIsLinkOnly)
        _ = try await gateway.database.pool.execute("DELETE FROM identity_provider WHERE provider = 'apple.com'")
        let ada = try await gateway.withFreshCaches().signUp()
        let linked = try await gateway.withFreshCaches().link(gateway.googleCredential(), to: ada.idToken)
        #expect(linked.outcome == "200")
        #expect(linked.json["localId"]?.string == ada.localId)
    }

    @Test("A link-only identity does not upgrade an anonymous account")
    func anonymous() async throws {
        let gateway = try await TestGateway().withAppSettings(Self.googleIsLinkOnly)
        let anonymous = try await gateway.signUpAnonymously()
        #expect(try await gateway.link(gateway.googleCredential(), to: anonymous.idToken).outcome == Self.refusal)
        #expect(try await gateway.accountSeenByUser(anonymous.idToken)["providerUserInfo"] == nil)
    }

    @Test("A link-only provider is rejected at sign-in, even for a user who has linked it")
    func signIn() async throws {
        let gateway = try await TestGateway().withAppSettings(Self.googleIsLinkOnly)
        #expect(try await gateway.signIn(gateway.googleCredential()).outcome == Self.refusal)
        let ada = try await gateway.signUp()
        let linked = try Tokens(await gateway.link(gateway.googleCredential(), to: ada.idToken))
        #expect(try await gateway.signIn(gateway.googleCredential()).outcome == Self.refusal)
        let reauthentication = try await gateway.signIn(gateway.googleCredential(), ["autoCreate": false])
        #expect(reauthentication.outcome == Self.refusal)
        let linkedAgain = try await gateway.link(gateway.googleCredential(), to: linked.idToken)
        #expect(linkedAgain.outcome == Self.refusal, "linking an identity again is a login")
    }

    @Test("A pending token from before the provider became link-only does not sign in")
    func pendingToken() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signIn(gateway.googleCredential())
        let anonymous = try await gateway.signUpAnonymously()
        let pending = try #require(
            try await gateway.link(gateway.googleCredential(), to: anonymous.idToken).pendingToken)
        let changed = try await gateway.withAppSettings(Self.googleIsLinkOnly)
        #expect(try await changed.signInWithIdp(["pendingToken": .string(pending)]).outcome == Self.refusal)
    }

    @Test("A merge into the account of a link-only identity is rejected")
    func merge() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signIn(gateway.googleCredential())
        let changed = try await gateway.withAppSettings(Self.googleIsLinkOnly)
        let anonymous = try await changed.signUpAnonymously()
        let preview = try await changed.post(
            "/v1/accounts:merge",
            [
                "idToken": .string(anonymous.idToken), "dryRun": true, "requestUri": "http://localhost",
                "postBody": .string(try gateway.googleCredential().postBody),
            ])
        #expect(preview.outcome == Self.refusal)
    }

    @Test("A link-only identity is linked although another account has its address")
    func address() async throws {
        let gateway = try await TestGateway().withAppSettings(Self.googleIsLinkOnly)
        let email = try #require(SimulatedPerson.mary.email)
        _ = try await gateway.post(
            "/v1/accounts:signUp", ["email": .string(email), "password": "secret1"])
        let ada = try await gateway.signUp()
        #expect(try await gateway.link(gateway.googleCredential(.mary), to: ada.idToken).outcome == "200")
    }

    @Test("Linking a link-only identity does not verify the address of the account")
    func verification() async throws {
        let gateway = try await TestGateway().withAppSettings(Self.googleIsLinkOnly)
        let email = try #require(SimulatedPerson.mary.email)
        let mary = try Tokens(
            await gateway.post("/v1/accounts:signUp", ["email": .string(email), "password": "secret1"]))
        let linked = try Tokens(await gateway.link(gateway.googleCredential(.mary), to: mary.idToken))
        #expect(try await gateway.accountSeenByUser(linked.idToken)["emailVerified"] == false)
    }

    @Test("A link-only identity does not count as a sign-in method when an administrator unlinks another identity")
    func lastMethodOfAdministrator() async throws {
        let gateway = try await TestGateway.withServiceKey().withAppSettings(Self.googleIsLinkOnly)
        let ada = try Tokens(await gateway.signIn(gateway.appleCredential()))
        _ = try await gateway.link(gateway.googleCredential(), to: ada.idToken)
        let unlinked = try await gateway.unlinkIdentity("apple.com", of: ada.localId)
        #expect(unlinked.outcome.hasPrefix("400 LAST_SIGN_IN_METHOD"))
    }

    @Test(
        "A link-only identity counts as a sign-in method only if another app offers its provider for sign-in",
        arguments: [false, true])
    func lastMethod(isOfferedByOtherApp: Bool) async throws {
        var gateway = try await TestGateway(.sekisho).withAppSettings(Self.googleIsLinkOnly)
        if isOfferedByOtherApp {
            // An app without settings offers every provider for sign-in.
            _ = try await gateway.database.pool.execute(
                """
                INSERT INTO app (project_id, id, name, settings, created_at) VALUES ('demo', 'web', 'web', '{}', now())
                """)
            gateway = try gateway.withFreshCaches()
        }
        let ada = try Tokens(await gateway.signIn(gateway.appleCredential()))
        let linked = try Tokens(await gateway.link(gateway.googleCredential(), to: ada.idToken))
        let unlinked = try await gateway.post(
            "/v1/accounts:update", ["idToken": .string(linked.idToken), "deleteProvider": ["apple.com"]])
        if isOfferedByOtherApp {
            #expect(unlinked.outcome == "200")
        } else {
            #expect(unlinked.outcome.hasPrefix("400 LAST_SIGN_IN_METHOD"))
        }
    }

    @Test("A link-only provider is listed for linking, not for sign-in")
    func loginMethods() async throws {
        let gateway = try await TestGateway().withAppSettings(Self.googleIsLinkOnly)
        let shown = try await gateway.send(
            .get, "/v1/loginMethods", body: [], query: [("key", TestGateway.apiKey)]
        ).json
        #expect(shown["methods"]?.elements.map { $0["providerId"] } == ["apple.com", "password"])
        #expect(shown["linkOnlyMethods"]?.elements.map { $0["providerId"] } == ["google.com"])
    }

    private typealias Tokens = TestGateway.Tokens
}
