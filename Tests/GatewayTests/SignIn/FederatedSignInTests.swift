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
    @Test("creates an account at first, and finds it later")
    func signUpAndReturn() async throws {
        let gateway = try await TestGateway()
        let first = try await gateway.signIn(gateway.apple())
        #expect(first.status == 200, "\(first.text)")
        #expect(first.json["isNewUser"] == true)
        #expect(first.json["kind"] == "identitytoolkit#VerifyAssertionResponse")
        #expect(first.json["providerId"] == "apple.com")
        #expect(first.json["email"] == "ada.lovelace@example.com")
        #expect(first.json["emailVerified"] == true)
        let again = try await gateway.signIn(gateway.apple())
        #expect(again.json["localId"] == first.json["localId"])
        #expect(again.json["isNewUser"] == nil)
        let token = try claims(of: try #require(again.json["idToken"]?.string))
        #expect(token["firebase"]?["sign_in_provider"] == "apple.com")
        #expect(token["firebase"]?["identities"]?["apple.com"]?[0] == first.json["federatedId"])
        #expect(token["email_verified"] == true)
    }

    @Test("accepts the credential as a form in any order, and as an object")
    func shapes() async throws {
        let gateway = try await TestGateway()
        let proof = try gateway.google()
        let bodies: [[String: JSON]] = [
            ["postBody": .string("providerId=google.com&id_token=\(proof.idToken)"), "requestUri": "http://localhost"],
            ["postBody": .string("id_token=\(proof.idToken)&providerId=Google.com"), "requestUri": "http://localhost"],
            ["requestUri": .string("http://localhost/?providerId=google.com#id_token=\(proof.idToken)")],
            ["credential": ["providerId": "google.com", "idToken": .string(proof.idToken)]],
        ]
        var ids: Set<String?> = []
        for body in bodies {
            let exchange = try await gateway.signInWithIdp(body)
            #expect(exchange.status == 200, "\(body): \(exchange.text)")
            ids.insert(exchange.json["localId"]?.string)
        }
        #expect(ids.count == 1)
    }

    @Test("stores the name that Apple sends once, and returns it each time")
    func name() async throws {
        let gateway = try await TestGateway()
        let user = #"{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"eve@example.com"}"#
        let first = try await gateway.signIn(gateway.apple(user: user))
        #expect(first.json["displayName"] == "Ada Lovelace")
        #expect(first.json["email"] == "ada.lovelace@example.com")
        let later = try await gateway.signIn(gateway.apple(user: #"{"name":{"firstName":"Eve"}}"#))
        for exchange in [later, try await gateway.signIn(gateway.apple())] {
            #expect(exchange.json["displayName"] == "Ada Lovelace")
            #expect(exchange.json["firstName"] == "Ada")
            #expect(exchange.json["lastName"] == "Lovelace")
        }
        let account = try await gateway.account(try #require(later.json["idToken"]?.string))
        #expect(account["displayName"] == "Ada Lovelace")
    }

    @Test("accepts a name after the first sign-in")
    func lateName() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signIn(gateway.apple(.grace))
        let named = try await gateway.signIn(gateway.apple(.grace, user: #"{"name":{"firstName":"Grace"}}"#))
        #expect(named.json["displayName"] == "Grace")
        #expect(try await gateway.account(try #require(named.json["idToken"]?.string))["displayName"] == "Grace")
    }

    @Test("recognizes a relay address by its claim and by its domain", arguments: [true, false])
    func relay(marked: Bool) async throws {
        let gateway = try await TestGateway()
        gateway.simulators.apple.quirks.marksPrivateEmail = marked
        let exchange = try await gateway.signIn(gateway.apple(.grace))
        #expect(exchange.json["isPrivateEmail"] == true, "\(exchange.text)")
        #expect(exchange.json["emailVerified"] == true)
    }

    @Test("does not need an address")
    func noEmail() async throws {
        let gateway = try await TestGateway()
        let exchange = try await gateway.signIn(gateway.apple(.alan))
        #expect(exchange.json["isNewUser"] == true, "\(exchange.text)")
        #expect(exchange.json["email"] == nil)
        let again = try await gateway.signIn(gateway.apple(.alan))
        #expect(again.json["localId"] == exchange.json["localId"])
    }

    @Test("reads booleans that are strings", arguments: [true, false])
    func booleans(areStrings: Bool) async throws {
        let gateway = try await TestGateway()
        gateway.simulators.apple.quirks.booleansAreStrings = areStrings
        let exchange = try await gateway.signIn(gateway.apple(.grace))
        #expect(exchange.json["emailVerified"] == true)
    }

    @Test("re-authentication accepts linked identities and creates no account")
    func reauthentication() async throws {
        let gateway = try await TestGateway()
        #expect(try await gateway.signIn(gateway.apple(), ["autoCreate": false]).outcome == "400 EMAIL_NOT_FOUND")
        _ = try await gateway.signIn(gateway.apple())
        gateway.clock.advance(by: .seconds(400))
        let again = try await gateway.signIn(gateway.apple(), ["autoCreate": false])
        #expect(again.status == 200, "\(again.text)")
        let deleted = try await gateway.delete(try #require(again.json["idToken"]?.string))
        #expect(deleted.status == 200, "\(deleted.text)")
    }

    @Test("rejects a provider that the project has disabled, or not configured")
    func provider() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.database.pool.execute(
            """
            UPDATE identity_provider SET settings = settings || '{"enabled": false}' WHERE provider = 'apple.com'
            """)
        let disabled = try await gateway.withFreshCaches().signIn(gateway.apple())
        #expect(disabled.outcome == "400 OPERATION_NOT_ALLOWED : The identity provider configuration is disabled.")
        _ = try await gateway.database.pool.execute("DELETE FROM identity_provider WHERE provider = 'apple.com'")
        let removed = try await gateway.withFreshCaches().signIn(gateway.apple())
        #expect(removed.outcome == "400 OPERATION_NOT_ALLOWED : The identity provider configuration is not found.")
    }

    @Test("rejects a disabled account")
    func disabled() async throws {
        let gateway = try await TestGateway.administered()
        let first = try await gateway.signIn(gateway.apple())
        let id = try #require(first.json["localId"]?.string)
        _ = try await gateway.administer(":update", ["localId": .string(id), "disableUser": true])
        #expect(try await gateway.signIn(gateway.apple()).outcome == "400 USER_DISABLED")
    }

    @Test("creates a new account with the former name after the account was deleted")
    func deleted() async throws {
        let gateway = try await TestGateway()
        let first = try await gateway.signIn(gateway.apple())
        _ = try await gateway.delete(try #require(first.json["idToken"]?.string))
        let again = try await gateway.signIn(gateway.apple())
        #expect(again.json["isNewUser"] == true)
        #expect(again.json["localId"] != first.json["localId"])
    }

    @Test(
        "names what is missing",
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
                "501 Sign-in with an access token alone is not implemented."
            ),
            (["pendingToken": "nonsense"], "400 INVALID_PENDING_TOKEN"),
        ] as [([String: JSON], String)])
    func missing(body: [String: JSON], outcome: String) async throws {
        let exchange = try await TestGateway().signInWithIdp(body)
        #expect(exchange.outcome.hasPrefix(outcome), "\(exchange.text)")
    }
}

@Suite("A nonce")
struct NonceTests {
    @Test("issued by the gateway works once, for Apple and for Google")
    func issued() async throws {
        let gateway = try await TestGateway()
        for proof in [gateway.appleProof, gateway.googleProof] {
            let issued = try await gateway.post("/v1/accounts:issueNonce")
            let nonce = try #require(issued.json["nonce"]?.string)
            #expect(try await gateway.signIn(proof(nonce)).status == 200)
            let again = try await gateway.signIn(proof(nonce))
            #expect(
                again.outcome
                    == "400 MISSING_OR_INVALID_NONCE : Duplicate credential received. Please try again with a new credential."
            )
        }
    }

    @Test("issued by the gateway may be in Apple's token unhashed; a client's nonce may not")
    func unhashed() async throws {
        let gateway = try await TestGateway()
        let issued = try #require(try await gateway.post("/v1/accounts:issueNonce").json["nonce"]?.string)
        let own = "made-by-the-client"
        for (nonce, isOurs) in [(issued, true), (own, false)] {
            let exchange = try await gateway.signIn(
                gateway.apple(nonce: nonce) { $0.claims["nonce"] = .string(nonce) })
            #expect((exchange.status == 200) == isOurs, "\(exchange.text)")
        }
        let again = try await gateway.signIn(gateway.apple(nonce: issued))
        #expect(again.outcome.hasPrefix("400 MISSING_OR_INVALID_NONCE"))
    }

    @Test("issued by the gateway is rejected after ten minutes and in another project")
    func expired() async throws {
        let gateway = try await TestGateway()
        let nonce = try #require(try await gateway.post("/v1/accounts:issueNonce").json["nonce"]?.string)
        gateway.clock.advance(by: .seconds(601))
        #expect(try await gateway.signIn(gateway.apple(nonce: nonce)).outcome.hasPrefix("400 MISSING_OR_INVALID_NONCE"))
    }

    @Test("of the client makes an Apple credential usable once")
    func replay() async throws {
        let gateway = try await TestGateway()
        let proof = try gateway.apple()
        #expect(try await gateway.signIn(proof).status == 200)
        #expect(try await gateway.signIn(proof).outcome.hasPrefix("400 MISSING_OR_INVALID_NONCE : Duplicate"))
        #expect(try await gateway.signIn(gateway.apple(.grace, nonce: proof.rawNonce)).status == 200, "somebody else's")
    }

    @Test("of Google's SDK, or a repeated token, is accepted")
    func google() async throws {
        let gateway = try await TestGateway()
        var proof = try gateway.google(nonce: "made-by-the-sdk")
        proof.rawNonce = nil
        #expect(try await gateway.signIn(proof).status == 200)
        #expect(try await gateway.signIn(proof).status == 200)
    }

    @Test("is not used up by a rejected request")
    func kept() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signIn(gateway.apple())
        let anonymous = try await gateway.signUpAnonymously()
        let proof = try gateway.apple()
        #expect(try await gateway.link(proof, to: anonymous.idToken).outcome == "400 FEDERATED_USER_ID_ALREADY_LINKED")
        #expect(try await gateway.signIn(proof).status == 200)
    }

    @Test("is required if the project requires it")
    func required() async throws {
        let strict = try await TestGateway(.sekisho)
        #expect(try await strict.signIn(strict.apple(nonce: nil)).outcome.hasPrefix("400 MISSING_OR_INVALID_NONCE"))
        let lenient = try await TestGateway(.firebase)
        #expect(try await lenient.signIn(lenient.apple(nonce: nil)).status == 200)
    }
}

extension TestGateway {
    fileprivate func appleProof(_ nonce: String) throws -> Proof { try apple(nonce: nonce) }
    fileprivate func googleProof(_ nonce: String) throws -> Proof { try google(nonce: nonce) }
}

@Suite("Apple's realUserStatus")
struct AppleSignalTests {
    @Test("is returned as at the first sign-in, to administrators only")
    func realUserStatus() async throws {
        let gateway = try await TestGateway.administered()
        let first = try await gateway.signIn(gateway.apple(.grace) { $0.claims["real_user_status"] = .integer(2) })
        let again = try await gateway.signIn(gateway.apple(.grace) { $0.claims["real_user_status"] = nil })
        let id = try #require(first.json["localId"]?.string)
        let found = try await gateway.administer(":lookup", ["localId": [.string(id)]])
        let identity = found.json["users"]?[0]?["providerUserInfo"]?[0]
        #expect(identity?["realUserStatus"] == "LIKELY_REAL", "\(found.text)")
        #expect(identity?["isPrivateEmail"] == true)
        let seen = try await gateway.account(try #require(again.json["idToken"]?.string))
        #expect(seen["providerUserInfo"]?[0]?["realUserStatus"] == nil)
        #expect(seen["providerUserInfo"]?[0]?["isPrivateEmail"] == true)
    }

    private func attributes(_ exchange: Exchange, _ token: String = "idToken") throws -> JSON? {
        let claims = try claims(of: try #require(exchange.json[token]?.string))
        return claims["firebase"]?["sign_in_attributes"]
    }

    @Test("is in all tokens of sessions that Sign in with Apple opened, and in no others")
    func sessionTokens() async throws {
        let gateway = try await TestGateway()
        let expected: JSON = ["real_user_status": 1]
        let first = try await gateway.signIn(gateway.apple(.grace) { $0.claims["real_user_status"] = .integer(1) })
        #expect(try attributes(first) == expected)
        let again = try await gateway.signIn(gateway.apple(.grace) { $0.claims["real_user_status"] = .integer(2) })
        #expect(try attributes(again) == expected, "as at the first sign-in")
        let refreshed = try await gateway.post(
            "/v1/token",
            ["grantType": "refresh_token", "refreshToken": try #require(again.json["refreshToken"])])
        #expect(try attributes(refreshed, "id_token") == expected)
        let idToken = try #require(again.json["idToken"]?.string)
        let linked = try await gateway.link(gateway.google(.grace), to: idToken)
        #expect(linked.status == 200)
        #expect(try attributes(linked) == nil, "Google says nothing of it")
        let other = try await gateway.signIn(gateway.apple(.ada) { $0.claims["real_user_status"] = nil })
        #expect(try attributes(other) == nil)
    }

    @Test("finds accounts, for administrators")
    func search() async throws {
        let gateway = try await TestGateway.administered()
        var ids: [String] = []
        for (person, status) in [(SimulatedPerson.ada, 2), (.grace, 0)] {
            let signedIn = try await gateway.signIn(
                gateway.apple(person) { $0.claims["real_user_status"] = .integer(Int64(status)) })
            ids.append(try #require(signedIn.json["localId"]?.string))
        }
        _ = try await gateway.signUp()
        func search(_ query: (name: String, value: String)...) async throws -> Exchange {
            try await gateway.manage(.get, "/accounts:search", query: query, bearer: TestGateway.serviceKey)
        }
        #expect(try await search(("realUserStatus", "LIKELY_REAL")).ids == [ids[0]])
        #expect(try await search(("realUserStatus", "UNSUPPORTED")).ids == [ids[1]])
        #expect(try await search(("realUserStatus", "UNKNOWN")).ids == [])
        #expect(
            try await search(("realUserStatus", "2")).outcome
                == "400 Invalid JSON payload received. /realUserStatus must be equal to one of the allowed values")
        #expect(
            try await search(("realUserStatus", "UNKNOWN"), ("q", "a")).outcome
                == "400 Invalid JSON payload received. /q must be absent if realUserStatus is present")
    }
}
