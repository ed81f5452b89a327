import Encoding
import Identity
import JSON
import Simulators
import Testing

@testable import DevMode
@testable import Support

/// Published vulnerabilities of other servers, tried on the gateway.
@Suite("Published advisories")
struct FederationAdvisoryTests {
    /// Expects the gateway to reject a token of Apple with changed claims.
    ///
    /// - Parameter outcome: the beginning of the expected outcome.
    private func expectRejection(
        _ outcome: String, change: (inout TokenDraft) -> Void
    ) async throws {
        let gateway = try await TestGateway()
        let exchange = try await gateway.signIn(gateway.appleCredential(change: change))
        #expect(exchange.outcome.hasPrefix(outcome), "\(exchange.text)")
        #expect(try await gateway.accountCount() == 0)
    }

    @Test("CVE-2026-31813: no keys are fetched from an issuer that the token names")
    func attackersIssuer() async throws {
        let gateway = try await TestGateway()
        let credential = try gateway.appleCredential { $0.claims["iss"] = .string("https://attacker.example") }
        #expect(try await gateway.signIn(credential).outcome.hasPrefix("400 INVALID_IDP_RESPONSE"))
        #expect(gateway.simulators.requestLog.urls.isSubset(of: ["https://appleid.apple.com/auth/keys"]))
    }

    @Test("GHSA-9wqv-qrhh-87f4: an empty provider and an issuer chosen by the caller are rejected")
    func emptyProvider() async throws {
        let gateway = try await TestGateway()
        let token = try gateway.appleCredential { $0.claims["iss"] = .string("https://attacker.example") }.idToken
        for provider in ["", "apple.com", "oidc.attacker"] {
            let exchange = try await gateway.signInWithIdp([
                "credential": [
                    "providerId": .string(provider), "idToken": .string(token), "issuer": "https://attacker.example",
                    "clientId": "com.example.app",
                ]
            ])
            #expect(exchange.status == 400, "\(exchange.text)")
        }
    }

    @Test("GHSA-5hvv-9cqv-894r: a token without a subject is rejected")
    func noSubject() async throws {
        try await expectRejection("400 INVALID_IDP_RESPONSE") { $0.claims["sub"] = nil }
        try await expectRejection("400 INVALID_IDP_RESPONSE") { $0.claims["sub"] = .string("") }
    }

    @Test("CVE-2026-30863, CVE-2026-55669: a token for another app is rejected")
    func otherAudience() async throws {
        try await expectRejection("400 INVALID_IDP_RESPONSE") { $0.claims["aud"] = .string("com.example.other") }
        try await expectRejection("400 INVALID_IDP_RESPONSE") { $0.claims["aud"] = nil }
    }

    @Test("CVE-2022-39231: an audience that contains the client ID, or is contained in it, is rejected")
    func similarAudience() async throws {
        for audience in ["com.example.app2", "com.example", "com.example.ap", " com.example.app"] {
            try await expectRejection("400 INVALID_IDP_RESPONSE") { $0.claims["aud"] = .string(audience) }
        }
    }

    @Test("CVE-2026-30949: a token whose authorized party is a sibling client is rejected")
    func sibling() async throws {
        let gateway = try await TestGateway()
        let credential = try gateway.googleCredential {
            $0.claims["azp"] = .string("sibling.apps.googleusercontent.com")
        }
        #expect(try await gateway.signIn(credential).outcome.hasPrefix("400 INVALID_IDP_RESPONSE"))
    }

    @Test("CVE-2026-9087: a pending token is for one subject; another credential in the same request is ignored")
    func linkOfAnotherSubject() async throws {
        let gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
        let owner = try await gateway.signUp(email: "mary@company.example", password: "long enough")
        let unconfirmed = try await gateway.signIn(
            gateway.googleCredential(.mary.with { $0.email = "mary@company.example" }))
        let attacker = try gateway.googleCredential(.named("Eve", "Attacker"))
        let exchange = try await gateway.signInWithIdp([
            "pendingToken": .string(try #require(unconfirmed.pendingToken)), "idToken": .string(owner.idToken),
            "postBody": .string(attacker.postBody), "requestUri": "http://localhost",
        ])
        #expect(exchange.json["federatedId"] == unconfirmed.json["federatedId"], "\(exchange.text)")
        #expect(exchange.json["oauthIdToken"] == nil)
        let linked = try await gateway.accountSeenByUser(owner.idToken)["providerUserInfo"]
        #expect(linked?[1]?["email"] == "mary@company.example" && linked?[2] == nil)
        #expect(try await gateway.signIn(attacker).json["localId"]?.string != owner.localId)
    }

    @Test("CVE-2025-61928: an ID in the body does not select the user")
    func idInBody() async throws {
        let gateway = try await TestGateway()
        let victim = try await gateway.signUp()
        for member in ["localId", "userId", "uid", "sub"] {
            let exchange = try await gateway.signIn(
                gateway.googleCredential(.named("Eve", "Attacker")), [member: .string(victim.localId)])
            #expect(exchange.json["localId"]?.string != victim.localId)
        }
    }

    @Test("Jain 2020, nOAuth: an attacker's identity with the victim's address signs in to the attacker's account")
    func emailOfTheVictim() async throws {
        let gateway = try await TestGateway()
        let victim = try await gateway.signIn(gateway.googleCredential(.mary))
        let attacker = SimulatedPerson.named("Eve", "Attacker")
        let first = try await gateway.signIn(gateway.appleCredential(attacker))
        let later = try await gateway.signIn(
            gateway.appleCredential(attacker) { draft in
                draft.claims["email"] = .string(SimulatedPerson.mary.email ?? "")
            })
        #expect(later.json["localId"] == first.json["localId"], "\(later.text)")
        #expect(later.json["localId"] != victim.json["localId"])
        #expect(
            try await gateway.accountSeenByUser(try #require(later.json["idToken"]?.string))["email"]?.string
                == attacker.email)
    }

    @Test(
        "Truffle 2025: the new owner of a domain does not get the accounts of former owners",
        arguments: Policy.Profile.allCases)
    func domainBoughtLater(profile: Policy.Profile) async throws {
        let gateway = try await TestGateway(profile) { $0.emailEnumerationProtection = false }
        // Emmy's address is in a Google Workspace domain, whose owner can change.
        _ = try await gateway.signIn(gateway.googleCredential(.emmy))
        let buyer = try gateway.googleCredential(.emmy) { $0.claims["sub"] = .string("999999999999999999999") }
        let unconfirmed = try await gateway.signIn(buyer)
        #expect(unconfirmed.json["idToken"] == nil)
        #expect(unconfirmed.json["needConfirmation"] == true, "\(unconfirmed.text)")
        #expect(unconfirmed.json["emailRecycled"] == true)
    }
}
