import HTTP
import Identity
import Postgres
import Simulators
import Testing

@testable import Support

@Suite("The issuer of a generic OpenID provider", .serialized)
struct ProviderIssuerTests {
    private typealias Fixture = ProviderIssuerFixture

    @Test("The issuer cannot be changed while identities of the issuer are linked")
    func change() async throws {
        let fixture = try await Fixture()
        let ada = try await fixture.signIn()
        #expect(ada.outcome == "200")
        #expect(try await fixture.identities() == ["1 \(Fixture.firstIssuer)"])
        let refused = try await fixture.change(to: Fixture.secondIssuer)
        #expect(
            refused.outcome
                == "409 PROVIDER_ISSUER_IN_USE : oidc.corp has 1 identity of another issuer. Configure the new issuer under another provider ID, or set discardIdentities to true to unlink them."
        )
        #expect(try await fixture.change(to: Fixture.firstIssuer).outcome == "200", "the issuer stays the same")
        #expect(
            try await fixture.signIn(of: Fixture.secondIssuer).outcome.hasPrefix(
                "400 INVALID_IDP_RESPONSE : The issuer of"))
        #expect(try await fixture.signIn().json["localId"] == ada.json["localId"])
    }

    @Test("The issuer can be changed while no identity of the provider is linked")
    func unused() async throws {
        let fixture = try await Fixture()
        #expect(try await fixture.gateway.signIn(fixture.gateway.appleCredential()).outcome == "200")
        #expect(try await fixture.change(to: Fixture.secondIssuer).outcome == "200")
        #expect(try await fixture.signIn(of: Fixture.secondIssuer).outcome == "200")
        #expect(try await fixture.identities().contains("1 \(Fixture.secondIssuer)"))
    }

    @Test(
        "A removed provider can be configured again with another issuer only if its identities are discarded",
        arguments: [true, false])
    func removed(identityHasIssuer: Bool) async throws {
        let fixture = try await Fixture()
        let ada = try await fixture.signIn()
        if !identityHasIssuer { try await fixture.execute("UPDATE linked_identity SET issuer = NULL") }
        #expect(try await fixture.configurator.send(.delete, Fixture.configPath).outcome == "200")
        #expect(try await fixture.configure(Fixture.secondIssuer).outcome.hasPrefix(Fixture.inUseError))
        #expect(try await fixture.configure(Fixture.firstIssuer).outcome == "200")
        #expect(try await fixture.signIn().json["localId"] == ada.json["localId"])
        #expect(try await fixture.configurator.send(.delete, Fixture.configPath).outcome == "200")
        #expect(try await fixture.configure(Fixture.secondIssuer, "&discardIdentities=true").outcome == "200")
        #expect(try await fixture.signIn(of: Fixture.secondIssuer).json["isNewUser"] == true)
    }

    @Test("With discardIdentities, a change of the issuer unlinks the identities of the former issuer")
    func discarded() async throws {
        let fixture = try await Fixture()
        let ada = try await fixture.signIn(email: "ada@example.com")
        let bob = try await fixture.signIn("2")
        #expect(try await fixture.gateway.signIn(fixture.gateway.appleCredential(.alan)).outcome == "200")
        let ids = [ada, bob].compactMap { $0.json["localId"]?.string }.sorted()
        try await fixture.execute("UPDATE linked_identity SET issuer = NULL WHERE subject = '2'")
        #expect(try await fixture.change(to: Fixture.secondIssuer, "?discardIdentities=maybe").status == 400)
        #expect(
            try await fixture.change(to: Fixture.secondIssuer, "?discardIdentities=false").outcome.hasPrefix(
                Fixture.inUseError))
        #expect(try await fixture.change(to: Fixture.secondIssuer, "?discardIdentities=true").outcome == "200")
        let (outbox, audit) = try await fixture.gateway.recordedEvents()
        #expect(outbox == ids.map { "identity.unlinked \($0) oidc.corp" })
        #expect(audit == ids.map { "key:backend identity.unlinked \($0) oidc.corp" })
        #expect(try await fixture.identities().count == 1, "Apple's identity stays")
        let account = try await fixture.gateway.accountSeenByAdmin(try #require(ada.json["localId"]?.string))
        #expect(account["email"] == nil, "the address came with the identity")
        let idToken = try #require(ada.json["idToken"]?.string)
        #expect(
            try await fixture.gateway.lookup(idToken).outcome == "400 TOKEN_EXPIRED",
            "the session was opened with the identity")
        let stranger = try await fixture.signIn(of: Fixture.secondIssuer)
        #expect(stranger.json["isNewUser"] == true)
        #expect(stranger.json["localId"] != ada.json["localId"])
    }

    @Test("Only a service key with the scope users.link can discard identities")
    func scope() async throws {
        let fixture = try await Fixture()
        #expect(try await fixture.signIn().outcome == "200")
        let scopes = ServiceKeyScopes(Set(ServiceKeyScope.allCases).subtracting([.linkUsers]))
        let key = try await ServiceKey(id: "limited", in: fixture.gateway, scopes: scopes)
        let limited = Configurator(gateway: fixture.gateway, serviceKey: key)
        let answer = try await limited.send(
            .patch, "\(Fixture.configPath)?discardIdentities=true", ["issuer": .string(Fixture.secondIssuer)],
            mask: "issuer")
        #expect(answer.outcome == "403 PERMISSION_DENIED : The service key lacks the scope users.link.")
        #expect(try await fixture.identities() == ["1 \(Fixture.firstIssuer)"])
    }

    @Test("An identity that another issuer verified is rejected for a sign-in, a link and a merge")
    func otherIssuer() async throws {
        let fixture = try await Fixture()
        #expect(try await fixture.signIn().outcome == "200")
        let anonymous = try await fixture.gateway.signUpAnonymously()
        try await fixture.execute("UPDATE linked_identity SET issuer = \(Fixture.secondIssuer)")
        let refusal =
            "400 INVALID_IDP_RESPONSE : The identity with this subject was verified by another issuer of this provider."
        #expect(try await fixture.signIn().outcome == refusal)
        let proof = try fixture.gateway.corporateCredential("1", of: Fixture.firstIssuer)
        #expect(try await fixture.gateway.link(proof, to: anonymous.idToken).outcome == refusal)
        let merge: JSON = [
            "idToken": .string(anonymous.idToken), "dryRun": true, "requestUri": "http://localhost",
            "postBody": .string(proof.postBody),
        ]
        #expect(try await fixture.gateway.post("/v1/accounts:merge", merge).outcome == refusal)
        #expect(
            try await fixture.identities() == ["1 \(Fixture.secondIssuer)"], "the issuer of the identity is unchanged")
    }

    @Test("A sign-in sets the issuer of an identity whose issuer is unknown")
    func adopted() async throws {
        let fixture = try await Fixture()
        #expect(try await fixture.configurator.send(.delete, Fixture.configPath).outcome == "200")
        try await fixture.gateway.makeAccount(
            ["localId": "ada"], identities: [["providerId": "oidc.corp", "rawId": "1"]])
        #expect(try await fixture.identities() == ["1 -"], "the provider is not configured")
        #expect(
            try await fixture.configure(Fixture.firstIssuer).outcome == "200", "the issuer of the identity is unknown")
        #expect(
            try await fixture.change(to: Fixture.secondIssuer).outcome.hasPrefix(Fixture.inUseError),
            "the identity may belong to the first issuer")
        #expect(try await fixture.signIn().json["localId"] == "ada")
        #expect(try await fixture.identities() == ["1 \(Fixture.firstIssuer)"])
    }

    @Test("An identity that an administrator links or imports gets the issuer of its provider's configuration")
    func administrators() async throws {
        let fixture = try await Fixture()
        try await fixture.gateway.makeAccount(
            ["localId": "a"], identities: [["providerId": "oidc.corp", "rawId": "1"]])
        let update: JSON = ["localId": "b", "linkProviderUserInfo": ["providerId": "oidc.corp", "rawId": "2"]]
        try await fixture.gateway.makeAccount(["localId": "b"])
        #expect(try await fixture.gateway.administerAccounts(":update", update).outcome == "200")
        let users: JSON = [
            [
                "localId": "c",
                "providerUserInfo": [
                    ["providerId": "oidc.corp", "rawId": "3"], ["providerId": "google.com", "rawId": "4"],
                ],
            ]
        ]
        #expect(try await fixture.gateway.administerAccounts(":batchCreate", ["users": users]).json["error"] == nil)
        let issuer = Fixture.firstIssuer
        #expect(try await fixture.identities() == ["1 \(issuer)", "2 \(issuer)", "3 \(issuer)", "4 -"])
    }

    @Test("A change of the issuer invalidates pending tokens")
    func pendingToken() async throws {
        let fixture = try await Fixture()
        let ada = try await fixture.gateway.signUp()
        let pending = try await fixture.signIn(email: "ada@example.com")
        #expect(pending.json["needConfirmation"] == true)
        #expect(try await fixture.change(to: Fixture.secondIssuer).outcome == "200")
        let linked = try await fixture.gateway.signInWithIdp([
            "pendingToken": .string(try #require(pending.pendingToken)), "idToken": .string(ada.idToken),
        ])
        #expect(linked.outcome == "400 INVALID_PENDING_TOKEN")
        #expect(try await fixture.identities() == [])
    }

    @Test("A change of the issuer of a tenant's provider concerns only the tenant's identities")
    func tenants() async throws {
        let fixture = try await Fixture()
        let made = try await fixture.configurator.send(.post, "tenants", ["displayName": "Corp"])
        let realmPath = "tenants/\(try #require(made.json["tenantId"]?.string))/"
        let apple = try await fixture.configurator.send(
            .post, "\(realmPath)defaultSupportedIdpConfigs?idpId=apple.com", try Configurator.appleInput())
        #expect(apple.outcome == "200")
        #expect(try await fixture.configure(Fixture.firstIssuer, at: realmPath).outcome == "200")
        #expect(try await fixture.signIn().outcome == "200")
        #expect(
            try await fixture.change(to: Fixture.secondIssuer, at: realmPath).outcome == "200",
            "the tenant has no identities")
        let proof = try fixture.gateway.corporateCredential("1", of: Fixture.secondIssuer)
        let tenantID = try #require(made.json["tenantId"])
        #expect(try await fixture.gateway.signIn(proof, ["tenantId": tenantID]).outcome == "200")
        #expect(try await fixture.change(to: Fixture.firstIssuer, at: realmPath).outcome.hasPrefix(Fixture.inUseError))
        #expect(
            try await fixture.change(to: Fixture.firstIssuer, "?discardIdentities=true", at: realmPath).outcome == "200"
        )
        #expect(try await fixture.identities() == ["1 \(Fixture.firstIssuer)"], "the project's identity stays")
    }
}
