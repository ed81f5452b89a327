import HTTP
import Identity
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("Limits on changes of credentials")
struct CredentialChangeLimitTests {
    private static let tooMany = LimitedGateway.tooMany

    /// The latest tokens of an anonymous account that has used up its changes.
    private func exhausted(at gateway: TestGateway) async throws -> TestGateway.Tokens {
        var tokens = try await gateway.signUpAnonymously()
        for number in 1...Policy.credentialChangeLimit {
            let changed = try await gateway.update(tokens.idToken, ["password": .string("password \(number)")])
            tokens = try TestGateway.Tokens(changed)
        }
        return tokens
    }

    struct Action: CustomTestStringConvertible {
        let testDescription: String
        var isLimited = true
        let perform: @Sendable (TestGateway, TestGateway.Tokens) async throws -> Exchange
    }

    static let actions = [
        Action(testDescription: "another password") { try await $0.update($1.idToken, ["password": "secret1"]) },
        Action(testDescription: "an address") { try await $0.update($1.idToken, ["email": "ada@example.com"]) },
        Action(testDescription: "a removed password") {
            try await $0.update($1.idToken, ["deleteAttribute": ["PASSWORD"]])
        },
        Action(testDescription: "the end of all other sessions") {
            try await $0.update($1.idToken, ["validSince": "1"])
        },
        Action(testDescription: "an address and a password") {
            try await $0.post(
                "/v1/accounts:signUp",
                ["idToken": .string($1.idToken), "email": "ada@example.com", "password": "secret1"])
        },
        Action(testDescription: "an identity") { try await $0.link($0.apple(), to: $1.idToken) },
        Action(testDescription: "an email link") {
            let code = try await $0.requestedCode("EMAIL_SIGNIN", ["email": "ada@example.com"])
            return try await $0.signInWithLink("ada@example.com", code, ["idToken": .string($1.idToken)])
        },
        Action(testDescription: "an identity unlinked") {
            try await $0.post(
                "/v1/accounts:unlink", ["idToken": .string($1.idToken), "deleteProvider": ["google.com"]])
        },
        Action(testDescription: "an identity unlinked by accounts:update") {
            try await $0.update($1.idToken, ["deleteProvider": ["google.com"]])
        },
        Action(testDescription: "a merge") {
            _ = try await $0.signIn($0.apple())
            let preview = try await $0.post(
                "/v1/accounts:merge",
                [
                    "idToken": .string($1.idToken), "dryRun": true, "requestUri": "http://localhost",
                    "postBody": .string(try $0.apple().postBody),
                ])
            return try await $0.post(
                "/v1/accounts:merge",
                ["idToken": .string($1.idToken), "mergeToken": preview.json["mergeToken"] ?? .null])
        },
        Action(testDescription: "a name", isLimited: false) { try await $0.update($1.idToken, ["displayName": "Ada"]) },
        Action(testDescription: "a refreshed token", isLimited: false) { try await $0.refresh($1.refreshToken) },
        Action(testDescription: "sign-out everywhere", isLimited: false) {
            try await $0.post("/v1/accounts:revokeSession", ["idToken": .string($1.idToken), "everywhere": true])
        },
        Action(testDescription: "deletion", isLimited: false) { try await $0.delete($1.idToken) },
    ]

    @Test(
        "An account can change its credentials twenty times in ten minutes; a new name, a refresh, a sign-out and a deletion are not limited",
        arguments: actions)
    func limit(row: Action) async throws {
        let gateway = try await LimitedGateway().gateway
        let tokens = try await exhausted(at: gateway)
        let answer = try await row.perform(gateway, tokens)
        #expect(answer.outcome == (row.isLimited ? Self.tooMany : "200"))
        #expect(answer.headers["Retry-After"] == (row.isLimited ? "600" : nil))
    }

    @Test("Limits on changes of credentials apply to each account separately, and end after ten minutes")
    func window() async throws {
        let gateway = try await LimitedGateway().gateway
        let tokens = try await exhausted(at: gateway)
        let other = try await gateway.signUpAnonymously()
        #expect(try await gateway.link(gateway.apple(), to: tokens.idToken).outcome == Self.tooMany)
        #expect(try await gateway.link(gateway.apple(), to: other.idToken).outcome == "200")
        gateway.clock.advance(by: .seconds(600))
        #expect(try await gateway.link(gateway.google(), to: tokens.idToken).outcome == "200")
    }

    @Test("The limit bounds the audit events of an anonymous account")
    func auditTrail() async throws {
        let gateway = try await LimitedGateway().gateway
        var tokens = try await exhausted(at: gateway)
        for _ in 1...10 {
            let answer = try await gateway.update(tokens.idToken, ["password": "one more"])
            if answer.status == 200 { tokens = try TestGateway.Tokens(answer) }
        }
        #expect(try await gateway.auditTrail().count == Policy.credentialChangeLimit)
    }

    @Test("Conflicts count as changes of credentials, because they reveal whether an identity has an account")
    func conflicts() async throws {
        let gateway = try await LimitedGateway().gateway
        _ = try await gateway.signIn(gateway.google())
        let caller = try await gateway.signUpAnonymously()
        var outcomes: [String] = []
        for _ in 0...Policy.credentialChangeLimit {
            outcomes.append(try await gateway.link(gateway.google(), to: caller.idToken).outcome)
        }
        #expect(outcomes.dropLast().allSatisfy { $0 == "400 FEDERATED_USER_ID_ALREADY_LINKED" })
        #expect(outcomes.last == Self.tooMany)
    }

    @Test("Linking the caller's own identity again is not counted, and neither is a sign-in")
    func logins() async throws {
        let gateway = try await LimitedGateway().gateway
        let tokens = try TestGateway.Tokens(await gateway.signIn(gateway.google()))
        for _ in 0...Policy.credentialChangeLimit {
            #expect(try await gateway.link(gateway.google(), to: tokens.idToken).outcome == "200")
            #expect(try await gateway.signIn(gateway.google()).outcome == "200")
        }
    }
}
