import Encoding
import HTTP
import JSON
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

private let googleIdentity: JSON = ["providerId": "google.com", "rawId": "g1"]

@Suite("Administering the identities of an account", .serialized)
struct IdentitiesTests {
    @Test("Identities are listed oldest first, with what the provider's token stated")
    func list() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let id = try #require(
            try await gateway.signIn(
                gateway.appleCredential { $0.claims["real_user_status"] = .integer(2) }
            ).json["localId"]?.string)
        gateway.clock.advance(by: .seconds(1))
        #expect(try await gateway.linkIdentity(googleIdentity, to: id).outcome == "200")
        gateway.clock.advance(by: .seconds(1))
        #expect(try await gateway.linkIdentity(["providerId": "facebook.com", "rawId": "f1"], to: id).outcome == "200")
        let identities = try await gateway.identities(of: id)
        #expect(identities.map { $0["providerId"]?.string } == ["apple.com", "google.com", "facebook.com"])
        #expect(identities[0]["emailTrust"] == "authoritative")
        #expect(identities[0]["audience"]?.string == SimulatedProviders.appleClientID)
        #expect(identities[0]["isPrivateEmail"] != nil)
        #expect(identities[0]["realUserStatus"] == "LIKELY_REAL")
        #expect(identities[0]["createdAt"] == "2027-01-15T08:00:00.000Z", "the time at which the test's clock starts")
        #expect(identities[1].keys == ["kind", "localId", "providerId", "rawId", "emailTrust", "createdAt"])
    }

    struct Link: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let account: JSON
        /// Members of the request, besides the provider and the subject.
        let identity: [String: JSON]
        /// The `emailTrust` of the identity.
        let trust: String
        /// The account's `email` and `emailVerified` after the link.
        let email: JSON?
        let emailVerified: JSON?
    }

    @Test(
        "An administrator can link an identity without proof, and this never verifies the account's address",
        arguments: [
            Link(
                testDescription: "an address that no provider has verified", account: ["localId": "ada"],
                identity: ["email": "ada@example.com"], trust: "none", email: nil, emailVerified: nil),
            Link(
                testDescription: "a verified address, for an account without an address", account: ["localId": "ada"],
                identity: ["email": "Ada@Example.com", "emailVerified": true], trust: "verified",
                email: "ada@example.com", emailVerified: false),
            Link(
                testDescription: "the account's own address",
                account: ["localId": "ada", "email": "ada@example.com"],
                identity: ["email": "ada@example.com", "emailVerified": true], trust: "verified",
                email: "ada@example.com", emailVerified: false),
            Link(
                testDescription: "another address than the account's",
                account: ["localId": "ada", "email": "ada@example.com", "emailVerified": true],
                identity: ["email": "eve@example.com", "emailVerified": true], trust: "verified",
                email: "ada@example.com", emailVerified: true),
            Link(
                testDescription: "emailVerified without an address", account: ["localId": "ada"],
                identity: ["emailVerified": true], trust: "none", email: nil, emailVerified: nil),
            Link(
                testDescription: "a verified address that another account has", account: ["localId": "ada"],
                identity: ["email": "bob@example.com", "emailVerified": true], trust: "verified", email: nil,
                emailVerified: nil),
            Link(
                testDescription: "members that only the gateway sets", account: ["localId": "ada"],
                identity: [
                    "email": "ada@example.com", "emailTrust": "authoritative", "audience": "x", "localId": "bob",
                    "realUserStatus": "LIKELY_REAL", "isPrivateEmail": true, "createdAt": 0,
                ], trust: "none", email: nil, emailVerified: nil),
        ])
    func link(row: Link) async throws {
        let gateway = try await TestGateway.withServiceKey()
        try await gateway.makeAccount(["localId": "bob", "email": "bob@example.com"])
        try await gateway.makeAccount(row.account)
        let body = row.identity.merging(["providerId": "google.com", "rawId": "g1"]) { $1 }
        let answer = try await gateway.linkIdentity(.object(body), to: "ada")
        #expect(answer.json["emailTrust"]?.string == row.trust, "\(answer.text)")
        #expect(answer.json["localId"] == "ada")
        #expect(answer.json["audience"] == nil)
        #expect(answer.json["realUserStatus"] == nil)
        #expect(answer.json["isPrivateEmail"] != true)
        #expect(try await gateway.identities(of: "ada") == [answer.json])
        let user = try await gateway.accountSeenByAdmin("ada")
        #expect(user["email"] == row.email)
        #expect(user["emailVerified"] == row.emailVerified)
        let events = try await gateway.recordedEvents()
        #expect(events.outbox == ["identity.linked ada google.com"])
        #expect(events.audit == ["key:service identity.linked ada google.com"])
    }

    @Test("A moved identity signs in to its new account")
    func signsIn() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let id = try #require(try await gateway.signIn(gateway.googleCredential()).json["localId"]?.string)
        let subject = try #require(try await gateway.identities(of: id).first?["rawId"]?.string)
        try await gateway.makeAccount(["localId": "ada"])
        #expect(try await gateway.moveIdentity("google.com", of: id, ["targetLocalId": "ada"]).status == 400)
        let moved = try await gateway.moveIdentity(
            "google.com", of: id, ["targetLocalId": "ada", "allowNoSignInMethod": true])
        #expect(moved.json["localId"] == "ada", "\(moved.text)")
        #expect(moved.json["rawId"]?.string == subject)
        #expect(try await gateway.signIn(gateway.googleCredential()).json["localId"] == "ada")
        #expect(try await gateway.identities(of: id).isEmpty)
        #expect(
            try await gateway.recordedEvents().outbox == ["identity.moved ada google.com \(id)"])
        #expect(
            Set(try await gateway.recordedEvents().audit) == [
                "key:service identity.moved ada google.com \(id)", "key:service identity.moved \(id) google.com ada",
            ])
    }

    @Test("An update of an account emits events for linked and unlinked identities, but none for an unchanged link")
    func updates() async throws {
        let gateway = try await TestGateway.withServiceKey()
        try await gateway.makeAccount(["localId": "ada"])
        let other: JSON = ["providerId": "google.com", "rawId": "g2"]
        let (linked, unlinked) = ("identity.linked ada google.com", "identity.unlinked ada google.com")
        let steps: [(change: JSON, events: [String])] = [
            (["localId": "ada", "linkProviderUserInfo": googleIdentity], [linked]),
            (["localId": "ada", "linkProviderUserInfo": googleIdentity], []),
            (
                ["localId": "ada", "linkProviderUserInfo": googleIdentity, "deleteProvider": ["google.com"]],
                [linked, unlinked]
            ),
            (["localId": "ada", "linkProviderUserInfo": other], [linked, unlinked]),
            (["localId": "ada", "deleteProvider": ["google.com", "apple.com"]], [unlinked]),
        ]
        var expected: [String] = []
        for step in steps {
            #expect(try await gateway.administerAccounts(":update", step.change).outcome == "200")
            expected = (expected + step.events).sorted()
            let events = try await gateway.recordedEvents()
            #expect(events.outbox == expected)
            #expect(events.audit == expected.map { "key:service \($0)" })
        }
    }

    @Test("An account loses the address of a moved identity; a target without an address gets it")
    func addresses() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let body: JSON = [
            "providerId": "google.com", "rawId": "g1", "email": "ada@example.com", "emailVerified": true,
        ]
        try await gateway.makeAccount(["localId": "ada", "phoneNumber": "+15555550100"], identities: [body])
        try await gateway.makeAccount(["localId": "bob"])
        try await gateway.makeAccount(["localId": "carol", "email": "carol@example.com"])
        #expect(try await gateway.moveIdentity("google.com", of: "ada", ["targetLocalId": "bob"]).outcome == "200")
        #expect(try await gateway.accountSeenByAdmin("ada")["email"] == nil)
        #expect(try await gateway.accountSeenByAdmin("bob")["email"] == "ada@example.com")
        let confirmed: JSON = ["targetLocalId": "carol", "allowNoSignInMethod": true]
        #expect(try await gateway.moveIdentity("google.com", of: "bob", confirmed).outcome == "200")
        #expect(try await gateway.accountSeenByAdmin("bob")["email"] == nil)
        #expect(try await gateway.accountSeenByAdmin("carol")["email"] == "carol@example.com")
    }

    @Test("An administrator can unlink identities, but the last sign-in method only if the request allows it")
    func unlink() async throws {
        let gateway = try await TestGateway.withServiceKey()
        try await gateway.makeAccount(
            ["localId": "ada"], identities: [googleIdentity, ["providerId": "oidc.corp", "rawId": "c1"]])
        #expect(try await gateway.unlinkIdentity("google.com", of: "ada").outcome == "204")
        let last = try await gateway.unlinkIdentity("oidc.corp", of: "ada")
        #expect(last.outcome.hasPrefix("400 LAST_SIGN_IN_METHOD"))
        #expect(try await gateway.identities(of: "ada").count == 1)
        let confirmed = try await gateway.unlinkIdentity(
            "oidc.corp", of: "ada", query: [("allowNoSignInMethod", "true")])
        #expect(confirmed.outcome == "204")
        #expect(try await gateway.recordedEvents().audit.count { $0.contains("identity.unlinked ada") } == 2)
    }

    @Test(
        "Invalid requests about identities are rejected with a specific error and change nothing",
        arguments: [
            ("post /ada/identities", googleIdentity, "PROVIDER_ALREADY_LINKED"),
            ("post /ada/identities", ["providerId": "google.com", "rawId": "g9"], "PROVIDER_ALREADY_LINKED"),
            ("post /eve/identities", googleIdentity, "FEDERATED_USER_ID_ALREADY_LINKED"),
            ("post /nobody/identities", ["providerId": "a.com", "rawId": "a"], "USER_NOT_FOUND"),
            ("post /eve/identities", ["rawId": "a"], "MISSING_PROVIDER_ID"),
            ("post /eve/identities", ["providerId": "a.com"], "MISSING_RAW_ID"),
            ("post /eve/identities", ["providerId": "password", "rawId": "a"], "INVALID_PROVIDER_ID"),
            ("post /eve/identities", ["providerId": "a.com", "rawId": "a\u{1}"], "INVALID_PROVIDER_ID"),
            ("post /eve/identities", ["providerId": "a.com", "rawId": "a", "email": "x"], "INVALID_EMAIL"),
            ("get /nobody/identities", nil, "USER_NOT_FOUND"),
            ("delete /nobody/identities/google.com", nil, "USER_NOT_FOUND"),
            ("delete /ada/identities/apple.com", nil, "IDENTITY_NOT_FOUND"),
            ("post /ada/identities/apple.com:move", ["targetLocalId": "eve"], "IDENTITY_NOT_FOUND"),
            ("post /ada/identities/google.com:move", ["targetLocalId": "eve"], "LAST_SIGN_IN_METHOD"),
            ("post /ada/identities/google.com:move", ["targetLocalId": "nobody"], "USER_NOT_FOUND"),
            ("post /nobody/identities/google.com:move", ["targetLocalId": "ada"], "USER_NOT_FOUND"),
            ("post /ada/identities/google.com:move", [:], "MISSING_LOCAL_ID"),
            (
                "post /ada/identities/google.com:move", ["targetLocalId": "ada", "allowNoSignInMethod": true],
                "PROVIDER_ALREADY_LINKED"
            ),
            (
                "post /ada/identities/google.com:move", ["targetLocalId": "bob", "allowNoSignInMethod": true],
                "PROVIDER_ALREADY_LINKED"
            ),
        ] as [(String, JSON?, String)])
    func refused(call: String, body: JSON?, expected: String) async throws {
        let gateway = try await TestGateway.withServiceKey()
        try await gateway.makeAccount(["localId": "ada"], identities: [googleIdentity])
        try await gateway.makeAccount(["localId": "bob"], identities: [["providerId": "google.com", "rawId": "g2"]])
        try await gateway.makeAccount(["localId": "eve"])
        let before = try await gateway.databaseDump()
        let parts = call.split(separator: " ").map(String.init)
        let method: HTTP.Method = parts[0] == "get" ? .get : parts[0] == "post" ? .post : .delete
        let answer = try await gateway.callProjectAsAdmin(method, "/accounts\(parts[1])", body)
        #expect(answer.outcome.hasPrefix("400 \(expected)"), "\(answer.text)")
        #expect(try await gateway.databaseDump() == before)
    }

    @Test(
        "Malformed and unknown account IDs, provider IDs and targets are rejected",
        arguments: [
            ("a%00", 404, 404), ("%", 404, 404), ("%zz", 404, 404), ("%C3", 404, 404), ("", 404, 404),
            (String(repeating: "a", count: 129), 404, 404),
            // These can be the ID of an account, but not of a provider.
            ("..", 400, 404), ("%2e%2e", 400, 404), ("%2E%2E%2Fada", 400, 404), ("a%2Fb", 400, 404),
            ("a%5Cb", 400, 404), (".", 400, 404), ("%01", 400, 404), (String(repeating: "%C3%A9", count: 65), 400, 404),
            ("%C3%A9", 400, 400), ("ada%20", 400, 400), ("ADA", 400, 400), ("ada%27--", 400, 400),
        ])
    func invalidIDs(id: String, accountStatus: Int, providerStatus: Int) async throws {
        let gateway = try await TestGateway.withServiceKey()
        try await gateway.makeAccount(["localId": "ada"], identities: [googleIdentity])
        let path = "/accounts/\(id)/identities"
        #expect(try await gateway.callProjectAsAdmin(.get, path).status == accountStatus)
        #expect(try await gateway.callProjectAsAdmin(.delete, path + "/google.com").status == accountStatus)
        #expect(try await gateway.callProjectAsAdmin(.post, path, googleIdentity).status == accountStatus)
        #expect(try await gateway.unlinkIdentity(id, of: "ada").status == providerStatus)
        let moved = try await gateway.callProjectAsAdmin(
            .post, "/accounts/ada/identities/google.com:move",
            ["targetLocalId": .string(id), "allowNoSignInMethod": true])
        #expect(moved.status == 400)
        #expect(try await gateway.identities(of: "ada").count == 1)
    }

    @Test(
        "Identities of another project are not accessible",
        arguments: [
            (.get, ""), (.post, ""), (.delete, "/google.com"), (.post, "/google.com:move"),
        ] as [(HTTP.Method, String)])
    func otherProject(method: HTTP.Method, path: String) async throws {
        let gateway = try await TestGateway.withServiceKey()
        try await gateway.makeOtherProject(serviceKey: "sks_other")
        try await gateway.makeAccount(["localId": "ada"], identities: [googleIdentity])
        let before = try await gateway.databaseDump()
        let body: JSON = ["providerId": "apple.com", "rawId": "a", "targetLocalId": "ada", "allowNoSignInMethod": true]
        let path = "/accounts/ada/identities\(path)"
        #expect(try await gateway.callProjectAsAdmin(method, path, body, bearer: "sks_other").status == 403)
        let own = try await gateway.callProjectAsAdmin(method, path, body, in: "other", bearer: "sks_other")
        #expect(own.outcome == "400 USER_NOT_FOUND")
        let named = try await gateway.callProjectAsAdmin(
            method, path, method == .post ? ["targetProjectId": "other"] : nil,
            query: [("targetProjectId", "other")])
        #expect(named.status == 403)
        #expect(try await gateway.databaseDump() == before)
    }

    @Test("Concurrent requests move or link an identity to only one account")
    func race() async throws {
        let gateway = try await TestGateway.withServiceKey()
        try await gateway.makeAccount(["localId": "ada"], identities: [googleIdentity])
        let targets = (0..<8).map { "t\($0)" }
        for target in targets { try await gateway.makeAccount(["localId": .string(target)]) }
        // Eight requests move Ada's identity, and eight link another one, each to one of eight accounts.
        let outcomes = try await concurrently(16) { number in
            let target = targets[number / 2]
            let input: JSON = ["targetLocalId": .string(target), "allowNoSignInMethod": true]
            return number.isMultiple(of: 2)
                ? try await gateway.moveIdentity("google.com", of: "ada", input).outcome
                : try await gateway.linkIdentity(["providerId": "a.com", "rawId": "a"], to: target).outcome
        }
        #expect(outcomes.count { $0 == "200" } == 2, "one move and one link: \(outcomes)")
        #expect(outcomes.count { $0.hasPrefix("400 IDENTITY_NOT_FOUND") } == 7)
        #expect(outcomes.count { $0 == "400 FEDERATED_USER_ID_ALREADY_LINKED" } == 7)
    }
}
