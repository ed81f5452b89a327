import Crypto
import Encoding
import Identity
import Postgres
import Simulators
import Storage
import Testing

@testable import Gateway
@testable import Support

@Suite("Checks of Apple's private keys")
struct AppleKeyCheckTests {
    private func keyCheckFindings(_ gateway: TestGateway) async throws -> [DatabaseCheck.Finding] {
        try await AppleKeyCheck(pool: gateway.database.pool, masterKeys: gateway.masterKeys)
            .findings(using: gateway.root.appleTokens)
    }

    @Test("check --live asks Apple about each client ID, and reports that the private key works for it")
    func works() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let findings = try await keyCheckFindings(gateway)
        #expect(findings.map(\.isGood) == [true, true])
        #expect(findings[0].text == "project demo, apple.com, client ID com.example.app: the private key works")
    }

    @Test("check --live reports the error and the team if Apple rejects the key")
    func rejected() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let server = try #require(gateway.appleServer)
        server.registerClients(in: gateway.simulators.apple, key: try PrivateKey.generate(.es256).publicKey)
        let finding = try #require(try await keyCheckFindings(gateway).first)
        #expect(!finding.isGood)
        #expect(finding.text.contains("rejects the private key (invalid_client)"))
        #expect(finding.text.contains("team TEAM123456"))
    }

    @Test("check --live reports an outage of Apple and a missing key as such, and not as a wrong key")
    func outageAndMissingKey() async throws {
        let gateway = try await TestGateway(servesApple: true)
        gateway.simulators.apple.faultInjection.injectFault(.unavailable)
        #expect(
            try await keyCheckFindings(gateway).first?.text.contains("the request to Apple failed (status 503)") == true
        )
        _ = try await gateway.database.pool.execute("UPDATE identity_provider SET secret = NULL")
        #expect(try await keyCheckFindings(gateway).first?.text.contains("private key is missing") == true)
    }

    @Test("clientIDsWithRedeemedCodes returns the client IDs whose codes were redeemed with the current private key")
    func redeemed() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let store = AppleKeyStore(pool: gateway.database.pool)
        #expect(try await store.clientIDsWithRedeemedCodes(in: gateway.realm.id).isEmpty)
        _ = try await gateway.signInWithAppleAndRedeemCode()
        #expect(try await store.clientIDsWithRedeemedCodes(in: gateway.realm.id) == ["com.example.app"])
        _ = try await gateway.database.pool.execute(
            "UPDATE identity_provider SET settings = jsonb_set(settings, '{apple,keyId}', '\"OTHERKEY12\"')")
        #expect(try await store.clientIDsWithRedeemedCodes(in: gateway.realm.id).isEmpty)
    }
}
