import Identity
import Simulators
import Testing

@testable import Gateway
@testable import Support

@Suite("Credential state")
struct CredentialStateTests {
    private func state(_ tokens: TestGateway.Tokens, at gateway: TestGateway) async throws -> String? {
        let answer = try await gateway.post("/v1/accounts:credentialState", ["idToken": .string(tokens.idToken)])
        return answer.json["identities"]?[0]?["credentialState"]?.string
    }

    /// After a user has disconnected the app, Apple rejects the user's tokens with `invalid_grant` or `invalid_request`.
    @Test("The credential state follows the sign-in, the daily check and the next sign-in", arguments: [true, false])
    func changesOfState(answersInvalidRequest: Bool) async throws {
        let gateway = try await TestGateway(servesApple: true)
        if answersInvalidRequest { gateway.simulators.apple.quirks.refusalAfterDisconnecting = .invalidRequest }
        let tokens = try await gateway.signedInWithApple()
        #expect(try await state(tokens, at: gateway) == "AUTHORIZED")
        gateway.simulators.apple.disconnect(.ada, from: SimulatedProviders.appleClient)
        #expect(try await state(tokens, at: gateway) == "AUTHORIZED", "the gateway has not asked Apple again")
        // The first check is due one to two days after the redemption.
        gateway.clock.advance(by: .seconds(2 * 86_400))
        try await gateway.appleWorkers.check()
        let session = try TestGateway.Tokens(refreshed: await gateway.refresh(tokens.refreshToken), of: tokens)
        #expect(try await state(session, at: gateway) == "REVOKED", "the session is still valid")
        gateway.clock.advance(by: .seconds(1))
        let again = try TestGateway.Tokens(await gateway.signIn(gateway.appleWithCode()))
        #expect(try await state(again, at: gateway) == "AUTHORIZED")
        try await gateway.attemptAppleGrants()
        #expect(try await gateway.appleGrants() == ["AUTHORIZED REFRESH_TOKEN com.example.app"])
    }

    @Test("The credential state stays if Apple is unavailable or rejects the private key", arguments: [true, false])
    func unchanged(isDown: Bool) async throws {
        let gateway = try await TestGateway(servesApple: true)
        let tokens = try await gateway.signedInWithApple()
        if isDown {
            gateway.simulators.apple.faultInjection.injectFault(.unavailable)
        } else {
            gateway.simulators.apple.register(
                AppleClient(id: SimulatedProviders.appleClient, team: AppleServer.team))
        }
        gateway.clock.advance(by: .seconds(2 * 86_400))
        try await gateway.appleWorkers.check()
        let session = try TestGateway.Tokens(refreshed: await gateway.refresh(tokens.refreshToken), of: tokens)
        #expect(try await state(session, at: gateway) == "AUTHORIZED")
    }

    @Test("The credential state is NOT_FOUND without an Apple identity; the user and administrators can read it")
    func readers() async throws {
        let gateway = try await TestGateway(servesApple: true)
        try await gateway.makeServiceKey()
        #expect(try await state(gateway.signUp(email: "eve@example.com"), at: gateway) == "NOT_FOUND")
        let tokens = try await gateway.signedInWithApple()
        let account = try await gateway.account(tokens.idToken)
        #expect(account["providerUserInfo"]?[0]?["credentialState"] == "AUTHORIZED")
        let found = try await gateway.administer(":credentialState", ["localId": .string(tokens.localId)])
        #expect(found.json["identities"]?[0]?["credentialState"] == "AUTHORIZED")
        #expect(found.json["identities"]?[0]?["checkedAt"]?.string?.isEmpty == false)
        #expect(
            try await gateway.administer(":credentialState", ["localId": "nobody"]).outcome == "400 USER_NOT_FOUND")
    }
}

extension TestGateway.Tokens {
    /// The account's tokens after a refresh.
    fileprivate init(refreshed exchange: Exchange, of tokens: TestGateway.Tokens) throws {
        self.init(
            localId: tokens.localId, idToken: try #require(exchange.json["id_token"]?.string),
            refreshToken: try #require(exchange.json["refresh_token"]?.string))
    }
}
