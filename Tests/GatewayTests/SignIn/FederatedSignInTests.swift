import HTTP
import Identity
import JSON
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("Signing in with Apple or Google")
struct FederatedSignInTests {
    @Test("The first sign-in creates an account, and later ones find it")
    func signUpAndReturn() async throws {
        let gateway = try await TestGateway()
        let first = try await gateway.signIn(gateway.appleCredential())
        #expect(first.status == 200, "\(first.text)")
        #expect(first.json["isNewUser"] == true)
        #expect(first.json["kind"] == "identitytoolkit#VerifyAssertionResponse")
        #expect(first.json["providerId"] == "apple.com")
        #expect(first.json["email"] == "ada.lovelace@example.com")
        #expect(first.json["emailVerified"] == true)
        let again = try await gateway.signIn(gateway.appleCredential())
        #expect(again.json["localId"] == first.json["localId"])
        #expect(again.json["isNewUser"] == nil)
        let token = try claims(of: try #require(again.json["idToken"]?.string))
        #expect(token["firebase"]?["sign_in_provider"] == "apple.com")
        #expect(token["firebase"]?["identities"]?["apple.com"]?[0] == first.json["federatedId"])
        #expect(token["email_verified"] == true)
    }

    @Test("The credential is accepted as a form in any order, in the request URI, and as an object")
    func shapes() async throws {
        let gateway = try await TestGateway()
        let idToken = try gateway.googleCredential().idToken
        let bodies: [[String: JSON]] = [
            ["postBody": .string("providerId=google.com&id_token=\(idToken)"), "requestUri": "http://localhost"],
            ["postBody": .string("id_token=\(idToken)&providerId=Google.com"), "requestUri": "http://localhost"],
            ["requestUri": .string("http://localhost/?providerId=google.com#id_token=\(idToken)")],
            ["credential": ["providerId": "google.com", "idToken": .string(idToken)]],
        ]
        var ids: Set<String?> = []
        for body in bodies {
            let exchange = try await gateway.signInWithIdp(body)
            #expect(exchange.status == 200, "\(body): \(exchange.text)")
            ids.insert(exchange.json["localId"]?.string)
        }
        #expect(ids.count == 1)
    }

    @Test("The name that Apple sends once is stored, and returned each time")
    func name() async throws {
        let gateway = try await TestGateway()
        let user = #"{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"eve@example.com"}"#
        let first = try await gateway.signIn(gateway.appleCredential(user: user))
        #expect(first.json["displayName"] == "Ada Lovelace")
        #expect(first.json["email"] == "ada.lovelace@example.com")
        let later = try await gateway.signIn(gateway.appleCredential(user: #"{"name":{"firstName":"Eve"}}"#))
        for exchange in [later, try await gateway.signIn(gateway.appleCredential())] {
            #expect(exchange.json["displayName"] == "Ada Lovelace")
            #expect(exchange.json["firstName"] == "Ada")
            #expect(exchange.json["lastName"] == "Lovelace")
        }
        let account = try await gateway.accountSeenByUser(try #require(later.json["idToken"]?.string))
        #expect(account["displayName"] == "Ada Lovelace")
    }

    @Test("A name that arrives after the first sign-in is stored")
    func lateName() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signIn(gateway.appleCredential(.grace))
        let named = try await gateway.signIn(gateway.appleCredential(.grace, user: #"{"name":{"firstName":"Grace"}}"#))
        #expect(named.json["displayName"] == "Grace")
        #expect(
            try await gateway.accountSeenByUser(try #require(named.json["idToken"]?.string))["displayName"] == "Grace")
    }

    /// Grace hides her email address.
    @Test("Apple's relay address is recognized by its claim or by its domain", arguments: [true, false])
    func relay(hasClaim: Bool) async throws {
        let gateway = try await TestGateway()
        gateway.simulators.apple.quirks.marksPrivateEmail = hasClaim
        let exchange = try await gateway.signIn(gateway.appleCredential(.grace))
        #expect(exchange.json["isPrivateEmail"] == true, "\(exchange.text)")
        #expect(exchange.json["emailVerified"] == true)
    }

    /// Alan has no email address.
    @Test("An identity without an address can sign in")
    func noEmail() async throws {
        let gateway = try await TestGateway()
        let exchange = try await gateway.signIn(gateway.appleCredential(.alan))
        #expect(exchange.json["isNewUser"] == true, "\(exchange.text)")
        #expect(exchange.json["email"] == nil)
        let again = try await gateway.signIn(gateway.appleCredential(.alan))
        #expect(again.json["localId"] == exchange.json["localId"])
    }

    @Test("Boolean claims are accepted as strings too", arguments: [true, false])
    func booleans(areStrings: Bool) async throws {
        let gateway = try await TestGateway()
        gateway.simulators.apple.quirks.booleansAreStrings = areStrings
        let exchange = try await gateway.signIn(gateway.appleCredential(.grace))
        #expect(exchange.json["emailVerified"] == true)
    }

    @Test("Re-authentication creates no account, and counts as a recent login")
    func reauthentication() async throws {
        let gateway = try await TestGateway()
        #expect(
            try await gateway.signIn(gateway.appleCredential(), ["autoCreate": false]).outcome == "400 EMAIL_NOT_FOUND")
        _ = try await gateway.signIn(gateway.appleCredential())
        // A login is recent for 300 seconds.
        gateway.clock.advance(by: .seconds(400))
        let again = try await gateway.signIn(gateway.appleCredential(), ["autoCreate": false])
        #expect(again.status == 200, "\(again.text)")
        let deleted = try await gateway.delete(try #require(again.json["idToken"]?.string))
        #expect(deleted.status == 200, "\(deleted.text)")
    }

    @Test("A provider that the project has disabled or not configured is rejected")
    func provider() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.database.pool.execute(
            """
            UPDATE identity_provider SET settings = settings || '{"enabled": false}' WHERE provider = 'apple.com'
            """)
        let disabled = try await gateway.withFreshCaches().signIn(gateway.appleCredential())
        #expect(disabled.outcome == "400 OPERATION_NOT_ALLOWED : The identity provider configuration is disabled.")
        _ = try await gateway.database.pool.execute("DELETE FROM identity_provider WHERE provider = 'apple.com'")
        let removed = try await gateway.withFreshCaches().signIn(gateway.appleCredential())
        #expect(removed.outcome == "400 OPERATION_NOT_ALLOWED : The identity provider configuration is not found.")
    }

    @Test("A disabled account is rejected")
    func disabled() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let first = try await gateway.signIn(gateway.appleCredential())
        let id = try #require(first.json["localId"]?.string)
        _ = try await gateway.administerAccounts(":update", ["localId": .string(id), "disableUser": true])
        #expect(try await gateway.signIn(gateway.appleCredential()).outcome == "400 USER_DISABLED")
    }

    @Test("A sign-in after the deletion of the account creates a new account")
    func deleted() async throws {
        let gateway = try await TestGateway()
        let first = try await gateway.signIn(gateway.appleCredential())
        _ = try await gateway.delete(try #require(first.json["idToken"]?.string))
        let again = try await gateway.signIn(gateway.appleCredential())
        #expect(again.json["isNewUser"] == true)
        #expect(again.json["localId"] != first.json["localId"])
    }

    @Test(
        "An incomplete or invalid request is rejected with a specific error",
        arguments: [
            (["postBody": "id_token=x&providerId=apple.com"], "400 MISSING_REQUEST_URI"),
            (["postBody": "id_token=x&providerId=apple.com", "requestUri": "nowhere"], "400 INVALID_REQUEST_URI"),
            (
                ["postBody": "id_token=x", "requestUri": "http://localhost"],
                "400 INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid IdP response/credential: http://localhost"
            ),
            (
                ["postBody": "id_token=x&id_token=y&providerId=apple.com", "requestUri": "http://localhost"],
                "400 INVALID_CREDENTIAL_OR_PROVIDER_ID : A parameter is repeated."
            ),
            (
                ["postBody": "id_token=x&providerId=facebook.com", "requestUri": "http://localhost"],
                "400 OPERATION_NOT_ALLOWED : The identity provider configuration is not found."
            ),
            (
                ["postBody": "access_token=x&providerId=google.com", "requestUri": "http://localhost"],
                "501 OPERATION_NOT_ALLOWED : Sign-in with an access token alone is not implemented."
            ),
            (["pendingToken": "nonsense"], "400 INVALID_PENDING_TOKEN"),
        ] as [([String: JSON], String)])
    func missing(body: [String: JSON], outcome: String) async throws {
        let exchange = try await TestGateway().signInWithIdp(body)
        #expect(exchange.outcome.hasPrefix(outcome), "\(exchange.text)")
    }
}
