import Encoding
import HTTP
import Identity
import JSON
import Simulators
import Testing

@testable import Support

@Suite("Nonces")
struct NonceTests {
    @Test("A nonce from the gateway works once, for Apple and for Google")
    func issued() async throws {
        let gateway = try await TestGateway()
        let credentials: [(_ nonce: String) throws -> ProviderCredential] = [
            { try gateway.appleCredential(nonce: $0) }, { try gateway.googleCredential(nonce: $0) },
        ]
        for credential in credentials {
            let issued = try await gateway.post("/v1/accounts:issueNonce")
            let nonce = try #require(issued.json["nonce"]?.string)
            #expect(try await gateway.signIn(credential(nonce)).status == 200)
            let again = try await gateway.signIn(credential(nonce))
            #expect(
                again.outcome
                    == "400 MISSING_OR_INVALID_NONCE : Duplicate credential received. Please try again with a new credential."
            )
        }
    }

    @Test("Apple's token may have the gateway's nonce unhashed, but not the client's nonce")
    func unhashed() async throws {
        let gateway = try await TestGateway()
        let issued = try #require(try await gateway.post("/v1/accounts:issueNonce").json["nonce"]?.string)
        let own = "made-by-the-client"
        for (nonce, isAccepted) in [(issued, true), (own, false)] {
            let exchange = try await gateway.signIn(
                gateway.appleCredential(nonce: nonce) { $0.claims["nonce"] = .string(nonce) })
            #expect((exchange.status == 200) == isAccepted, "\(exchange.text)")
        }
        let again = try await gateway.signIn(gateway.appleCredential(nonce: issued))
        #expect(again.outcome.hasPrefix("400 MISSING_OR_INVALID_NONCE"))
    }

    @Test("A nonce from the gateway is rejected after ten minutes")
    func expired() async throws {
        let gateway = try await TestGateway()
        let nonce = try #require(try await gateway.post("/v1/accounts:issueNonce").json["nonce"]?.string)
        gateway.clock.advance(by: .seconds(601))
        #expect(
            try await gateway.signIn(gateway.appleCredential(nonce: nonce)).outcome.hasPrefix(
                "400 MISSING_OR_INVALID_NONCE"))
    }

    @Test("The client's nonce makes an Apple credential usable only once")
    func replay() async throws {
        let gateway = try await TestGateway()
        let credential = try gateway.appleCredential()
        #expect(try await gateway.signIn(credential).status == 200)
        #expect(try await gateway.signIn(credential).outcome.hasPrefix("400 MISSING_OR_INVALID_NONCE : Duplicate"))
        #expect(
            try await gateway.signIn(gateway.appleCredential(.grace, nonce: credential.rawNonce)).status == 200,
            "another user")
    }

    @Test("A Google token with an SDK's nonce is accepted without the raw nonce, even repeatedly")
    func google() async throws {
        let gateway = try await TestGateway()
        var credential = try gateway.googleCredential(nonce: "made-by-the-sdk")
        credential.rawNonce = nil
        #expect(try await gateway.signIn(credential).status == 200)
        #expect(try await gateway.signIn(credential).status == 200)
    }

    @Test("A rejected request does not use up a nonce")
    func kept() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signIn(gateway.appleCredential())
        let anonymous = try await gateway.signUpAnonymously()
        let credential = try gateway.appleCredential()
        #expect(
            try await gateway.link(credential, to: anonymous.idToken).outcome == "400 FEDERATED_USER_ID_ALREADY_LINKED")
        #expect(try await gateway.signIn(credential).status == 200)
    }

    @Test("A nonce for Apple is required in profile sekisho, and not in profile firebase")
    func required() async throws {
        let strict = try await TestGateway(.sekisho)
        #expect(
            try await strict.signIn(strict.appleCredential(nonce: nil)).outcome.hasPrefix(
                "400 MISSING_OR_INVALID_NONCE"))
        let lenient = try await TestGateway(.firebase)
        #expect(try await lenient.signIn(lenient.appleCredential(nonce: nil)).status == 200)
    }
}
