import Identity
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("Unlinking an identity")
struct UnlinkTests {
    /// A gateway with an account that has Ada's Apple identity and Mary's Google identity, and the account's ID token.
    private func linked() async throws -> (TestGateway, String) {
        let gateway = try await TestGateway(.sekisho)
        let apple = try await gateway.signIn(gateway.appleCredential())
        let both = try await gateway.link(gateway.googleCredential(), to: try #require(apple.json["idToken"]?.string))
        return (gateway, try #require(both.json["idToken"]?.string))
    }

    @Test("An unlinked identity creates a new account at its next sign-in")
    func unlink() async throws {
        let (gateway, idToken) = try await linked()
        let unlinked = try await gateway.post(
            "/v1/accounts:unlink", ["idToken": .string(idToken), "deleteProvider": ["google.com"]])
        #expect(unlinked.status == 200, "\(unlinked.text)")
        #expect(unlinked.json["providerUserInfo"]?[1] == nil)
        #expect(try await gateway.signIn(gateway.googleCredential()).json["isNewUser"] == true)
    }

    @Test("accounts:update can unlink an identity too")
    func update() async throws {
        let (gateway, idToken) = try await linked()
        let unlinked = try await gateway.update(idToken, ["deleteProvider": ["apple.com"]])
        #expect(unlinked.status == 200, "\(unlinked.text)")
        // Google's address remains.
        #expect(unlinked.json["email"]?.string == SimulatedPerson.mary.email)
        #expect(unlinked.json["emailVerified"] == true)
    }

    @Test("The last sign-in method is kept unless the request allows its removal", arguments: ["unlink", "update"])
    func last(operation: String) async throws {
        let (gateway, idToken) = try await linked()
        let path = "/v1/accounts:\(operation)"
        let all: JSON = ["apple.com", "google.com"]
        let body: [String: JSON] = ["idToken": .string(idToken), "deleteProvider": all]
        #expect(
            try await gateway.post(path, .object(body)).outcome
                == "400 LAST_SIGN_IN_METHOD : This would remove the account's last sign-in method. Set allowNoSignInMethod to true to confirm."
        )
        #expect(try await gateway.accountSeenByUser(idToken)["providerUserInfo"]?[1] != nil)
        let confirmed = try await gateway.post(path, .object(body.merging(["allowNoSignInMethod": true]) { $1 }))
        #expect(confirmed.status == 200, "\(confirmed.text)")
    }

    /// Creates an account whose only sign-in method is an email link to Mary's address. Her Google identity has the
    /// same address.
    private func emailLinkUser(of gateway: TestGateway) async throws -> TestGateway.Tokens {
        let email = try #require(SimulatedPerson.mary.email)
        let code = try await gateway.requestedCode("EMAIL_SIGNIN", ["email": .string(email)])
        return try TestGateway.Tokens(try await gateway.signInWithEmailLink(email, code))
    }

    @Test(
        "Removing the address of an account whose only sign-in method is an email link needs confirmation",
        arguments: [#""deleteProvider":["password"]"#, #""deleteAttribute":["EMAIL"]"#])
    func emailLink(removal: String) async throws {
        let gateway = try await TestGateway(.sekisho)
        let mary = try await emailLinkUser(of: gateway)
        func remove(_ more: String) async throws -> Exchange {
            try await gateway.post(
                "/v1/accounts:update", text: #"{"idToken":"\#(mary.idToken)",\#(removal)\#(more)}"#)
        }
        #expect(try await remove("").outcome.hasPrefix("400 LAST_SIGN_IN_METHOD"))
        #expect(try await gateway.accountSeenByUser(mary.idToken)["emailLinkSignin"] == true)
        let removed = try await remove(#","allowNoSignInMethod":true"#)
        let account = try await gateway.accountSeenByUser(try TestGateway.Tokens(removed).idToken)
        #expect(account["email"] == nil && account["emailLinkSignin"] == nil, "\(account)")
    }

    @Test("An administrator who removes the address removes the sign-in by email link")
    func emailLinkByAdministrator() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let mary = try await emailLinkUser(of: gateway)
        let id = JSON.string(mary.localId)
        let removal: JSON = ["localId": id, "deleteAttribute": ["EMAIL"]]
        #expect(try await gateway.administerAccounts(":update", removal).outcome == "200")
        let account = try await gateway.administerAccounts(":lookup", ["localId": [id]]).json["users"]?[0]
        #expect(account?["localId"] == id && account?["emailLinkSignin"] == nil, "\(String(describing: account))")
    }

    @Test("Unlinking the password removes the sign-in by email link, although an identity keeps the address")
    func emailLinkOfKeptAddress() async throws {
        let gateway = try await TestGateway(.sekisho)
        let mary = try await emailLinkUser(of: gateway)
        let linked = try TestGateway.Tokens(try await gateway.link(gateway.googleCredential(), to: mary.idToken))
        let unlinked = try await gateway.update(linked.idToken, ["deleteProvider": ["password"]])
        let account = try await gateway.accountSeenByUser(try TestGateway.Tokens(unlinked).idToken)
        #expect(account["email"]?.string == SimulatedPerson.mary.email)
        #expect(account["emailLinkSignin"] == nil, "\(account)")
    }

    @Test("If two concurrent requests unlink one of two sign-in methods each, only one request succeeds")
    func race() async throws {
        for _ in 0..<5 {
            let (gateway, idToken) = try await linked()
            let outcomes = try await concurrently(2) { number in
                try await gateway.post(
                    "/v1/accounts:unlink",
                    ["idToken": .string(idToken), "deleteProvider": [number == 0 ? "apple.com" : "google.com"]]
                ).outcome
            }
            #expect(outcomes.count { $0 == "200" } == 1, "\(outcomes)")
        }
    }
}
