import Identity
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("Unlinking an identity ends its sessions")
struct UnlinkedSessionTests {
    private static let valid = ["200", "200"]
    private static let ended = ["400 TOKEN_EXPIRED", "400 TOKEN_EXPIRED"]

    /// The responses to the ID token and the refresh token of a session.
    private func outcomes(_ tokens: TestGateway.Tokens, at gateway: TestGateway) async throws -> [String] {
        [try await gateway.lookup(tokens.idToken).outcome, try await gateway.refresh(tokens.refreshToken).outcome]
    }

    /// Sessions of one account with two identities. Each identity opened two of the sessions.
    private struct Sessions {
        let apple: [TestGateway.Tokens]
        let google: [TestGateway.Tokens]

        init(at gateway: TestGateway) async throws {
            let first = try TestGateway.Tokens(await gateway.signIn(gateway.appleCredential()))
            let linked = try TestGateway.Tokens(await gateway.link(gateway.googleCredential(), to: first.idToken))
            google = [linked, try TestGateway.Tokens(await gateway.signIn(gateway.googleCredential()))]
            apple = [first, try TestGateway.Tokens(await gateway.signIn(gateway.appleCredential()))]
        }
    }

    @Test(
        "Unlinking an identity ends the sessions that the identity opened, except the caller's",
        arguments: ["unlink", "update"],
        ["apple.com", "google.com"])
    func client(operation: String, caller: String) async throws {
        for profile in Policy.Profile.allCases {
            let gateway = try await TestGateway(profile)
            let sessions = try await Sessions(at: gateway)
            let callerSession = caller == "apple.com" ? sessions.apple[0] : sessions.google[0]
            let unlinked = try await gateway.post(
                "/v1/accounts:\(operation)",
                ["idToken": .string(callerSession.idToken), "deleteProvider": ["google.com"]])
            #expect(unlinked.outcome == "200")
            for tokens in sessions.apple + [callerSession] {
                #expect(try await outcomes(tokens, at: gateway) == Self.valid)
            }
            for tokens in sessions.google where tokens.idToken != callerSession.idToken {
                #expect(try await outcomes(tokens, at: gateway) == Self.ended)
            }
        }
    }

    @Test("A session that stayed valid when its own identity was unlinked ends when another identity is unlinked")
    func survivor() async throws {
        let gateway = try await TestGateway()
        let owner = try TestGateway.Tokens(await gateway.signIn(gateway.appleCredential()))
        _ = try await gateway.link(gateway.googleCredential(.mary), to: owner.idToken)
        let ada = try TestGateway.Tokens(
            await gateway.update(owner.idToken, ["email": "ada@example.com", "password": "secret1"]))
        let attacker = try TestGateway.Tokens(await gateway.signIn(gateway.googleCredential(.mary)))
        #expect(try await gateway.update(attacker.idToken, ["deleteProvider": ["google.com"]]).outcome == "200")
        #expect(try await outcomes(attacker, at: gateway) == Self.valid)
        #expect(try await gateway.update(ada.idToken, ["deleteProvider": ["apple.com"]]).outcome == "200")
        #expect(try await outcomes(attacker, at: gateway) == Self.ended)
        #expect(try await outcomes(ada, at: gateway) == Self.valid)
    }

    @Test("Removing the password ends the earlier sessions and opens a new one")
    func password() async throws {
        let gateway = try await TestGateway()
        let first = try await gateway.signUp()
        let linked = try TestGateway.Tokens(await gateway.link(gateway.appleCredential(), to: first.idToken))
        let unlinked = try TestGateway.Tokens(await gateway.update(linked.idToken, ["deleteProvider": ["password"]]))
        #expect(try await outcomes(first, at: gateway) == Self.ended)
        #expect(try await outcomes(unlinked, at: gateway) == Self.valid)
    }

    struct Action: CustomTestStringConvertible {
        let testDescription: String
        let perform: @Sendable (TestGateway, _ localId: String) async throws -> Exchange
    }

    @Test(
        "An administrator who unlinks, moves or replaces an identity ends its sessions, and no others",
        arguments: [
            Action(testDescription: "unlink") { try await $0.unlinkIdentity("google.com", of: $1) },
            Action(testDescription: "move") {
                try await $0.makeAccount(["localId": "target"])
                return try await $0.moveIdentity("google.com", of: $1, ["targetLocalId": "target"])
            },
            Action(testDescription: "update with deleteProvider") {
                try await $0.administerAccounts(":update", ["localId": .string($1), "deleteProvider": ["google.com"]])
            },
            Action(testDescription: "update that unlinks and links the same identity") {
                let subject = try await $0.identities(of: $1).first { $0["providerId"] == "google.com" }?["rawId"]
                return try await $0.administerAccounts(
                    ":update",
                    [
                        "localId": .string($1), "deleteProvider": ["google.com"],
                        "linkProviderUserInfo": ["providerId": "google.com", "rawId": subject ?? .null],
                    ])
            },
            Action(testDescription: "update with another identity") {
                try await $0.administerAccounts(
                    ":update",
                    ["localId": .string($1), "linkProviderUserInfo": ["providerId": "google.com", "rawId": "other"]])
            },
        ])
    func administrator(row: Action) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let sessions = try await Sessions(at: gateway)
        let done = try await row.perform(gateway, sessions.apple[0].localId)
        #expect(done.isSuccess)
        for tokens in sessions.apple { #expect(try await outcomes(tokens, at: gateway) == Self.valid) }
        for tokens in sessions.google { #expect(try await outcomes(tokens, at: gateway) == Self.ended) }
    }

    @Test(
        "Linking the same identity again as an administrator keeps its sessions, even if another identity is unlinked",
        arguments: [[], ["apple.com"]] as [JSON])
    func same(unlinked: JSON) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let sessions = try await Sessions(at: gateway)
        let id = sessions.apple[0].localId
        let google = try #require(
            try await gateway.identities(of: id).first { $0["providerId"] == "google.com" })
        let identity: JSON = ["providerId": "google.com", "rawId": google["rawId"] ?? .null]
        let done = try await gateway.administerAccounts(
            ":update", ["localId": .string(id), "linkProviderUserInfo": identity, "deleteProvider": unlinked])
        #expect(done.outcome == "200")
        for tokens in sessions.google { #expect(try await outcomes(tokens, at: gateway) == Self.valid) }
        let expected = unlinked == [] ? Self.valid : Self.ended
        for tokens in sessions.apple { #expect(try await outcomes(tokens, at: gateway) == expected) }
    }

    @Test("A sign-in with an identity that is being unlinked opens no lasting session", arguments: [true, false])
    func race(isAdministrator: Bool) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let owner = try TestGateway.Tokens(await gateway.signIn(gateway.appleCredential()))
        for _ in 0..<8 {
            #expect(try await gateway.link(gateway.googleCredential(), to: owner.idToken).outcome == "200")
            // Six sign-ins start before the unlinking, and six after it.
            let signIns: [Exchange?] = try await concurrently(13) { number in
                if number != 6 { return try await gateway.signIn(gateway.googleCredential(), ["autoCreate": false]) }
                let unlinked =
                    isAdministrator
                    ? try await gateway.unlinkIdentity("google.com", of: owner.localId)
                    : try await gateway.update(owner.idToken, ["deleteProvider": ["google.com"]])
                #expect(unlinked.isSuccess)
                return nil
            }
            for exchange in signIns.compactMap(\.self) where exchange.status == 200 {
                #expect(try await outcomes(TestGateway.Tokens(exchange), at: gateway) == Self.ended)
            }
        }
        #expect(try await outcomes(owner, at: gateway) == Self.valid)
    }
}
