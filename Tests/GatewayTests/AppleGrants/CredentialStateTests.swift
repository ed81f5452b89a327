import Identity
import Simulators
import Testing

@testable import Gateway
@testable import Support

@Suite("Credential state")
struct CredentialStateTests {
    private func credentialState(of tokens: TestGateway.Tokens, at gateway: TestGateway) async throws -> String? {
        let answer = try await gateway.post("/v1/accounts:credentialState", ["idToken": .string(tokens.idToken)])
        return answer.json["identities"]?[0]?["credentialState"]?.string
    }

    /// After a user has disconnected the app, Apple rejects the user's tokens with `invalid_grant` or
    /// `invalid_request`.
    @Test(
        "The daily check of a disconnected user's token changes the state to REVOKED, and the next sign-in changes it back",
        arguments: [true, false])
    func changesOfState(answersInvalidRequest: Bool) async throws {
        let gateway = try await TestGateway(servesApple: true)
        if answersInvalidRequest { gateway.simulators.apple.quirks.refusalAfterDisconnecting = .invalidRequest }
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        #expect(try await credentialState(of: tokens, at: gateway) == "AUTHORIZED")
        gateway.simulators.apple.disconnect(.ada, from: SimulatedProviders.appleClientID)
        #expect(
            try await credentialState(of: tokens, at: gateway) == "AUTHORIZED",
            "the gateway has not asked Apple since then")
        // The first check is due one to two days after the redemption.
        gateway.clock.advance(by: .seconds(2 * 86_400))
        try await gateway.appleGrantWorkers.checkDueTokens()
        let session = try TestGateway.Tokens(refreshed: await gateway.refresh(tokens.refreshToken), of: tokens)
        #expect(
            try await credentialState(of: session, at: gateway) == "REVOKED", "the gateway's own session is still valid"
        )
        gateway.clock.advance(by: .seconds(1))
        let again = try TestGateway.Tokens(await gateway.signIn(gateway.appleCredentialWithCode()))
        #expect(try await credentialState(of: again, at: gateway) == "AUTHORIZED")
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines() == ["AUTHORIZED REFRESH_TOKEN com.example.app"])
    }

    @Test(
        "The daily check changes no credential state if Apple is unavailable or rejects the private key",
        arguments: [true, false])
    func unchanged(isDown: Bool) async throws {
        let gateway = try await TestGateway(servesApple: true)
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        if isDown {
            gateway.simulators.apple.faultInjection.injectFault(.unavailable)
        } else {
            // A client without keys: Apple rejects every private key.
            gateway.simulators.apple.register(
                AppleClient(id: SimulatedProviders.appleClientID, team: AppleServer.team))
        }
        gateway.clock.advance(by: .seconds(2 * 86_400))
        try await gateway.appleGrantWorkers.checkDueTokens()
        let session = try TestGateway.Tokens(refreshed: await gateway.refresh(tokens.refreshToken), of: tokens)
        #expect(try await credentialState(of: session, at: gateway) == "AUTHORIZED")
    }

    @Test("The user and administrators can read the credential state, which is NOT_FOUND without an Apple identity")
    func readers() async throws {
        let gateway = try await TestGateway(servesApple: true)
        try await gateway.makeServiceKey()
        #expect(try await credentialState(of: gateway.signUp(email: "eve@example.com"), at: gateway) == "NOT_FOUND")
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        let account = try await gateway.accountSeenByUser(tokens.idToken)
        #expect(account["providerUserInfo"]?[0]?["credentialState"] == "AUTHORIZED")
        let found = try await gateway.administerAccounts(":credentialState", ["localId": .string(tokens.localId)])
        #expect(found.json["identities"]?[0]?["credentialState"] == "AUTHORIZED")
        #expect(found.json["identities"]?[0]?["checkedAt"]?.string?.isEmpty == false)
        #expect(
            try await gateway.administerAccounts(":credentialState", ["localId": "nobody"]).outcome
                == "400 USER_NOT_FOUND")
    }
}

extension TestGateway.Tokens {
    /// - Parameters:
    ///   - exchange: the response to a refresh, with the new tokens.
    ///   - tokens: the tokens before the refresh.
    fileprivate init(refreshed exchange: Exchange, of tokens: TestGateway.Tokens) throws {
        self.init(
            localId: tokens.localId, idToken: try #require(exchange.json["id_token"]?.string),
            refreshToken: try #require(exchange.json["refresh_token"]?.string))
    }
}
