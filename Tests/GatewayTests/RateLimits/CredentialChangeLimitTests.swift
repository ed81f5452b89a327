import HTTP
import Identity
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("Limits on changes of credentials")
struct CredentialChangeLimitTests {
    private static let tooMany = LimitedGateway.tooManyAttempts

    /// Signs up anonymously, and changes the account's password as often as the limit allows. Returns the latest
    /// tokens.
    private func accountAtLimit(in gateway: TestGateway) async throws -> TestGateway.Tokens {
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
        Action(testDescription: "a new password") { try await $0.update($1.idToken, ["password": "secret1"]) },
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
        Action(testDescription: "an identity") { try await $0.link($0.appleCredential(), to: $1.idToken) },
        Action(testDescription: "an email link") {
            let code = try await $0.requestedCode("EMAIL_SIGNIN", ["email": "ada@example.com"])
            return try await $0.signInWithEmailLink("ada@example.com", code, ["idToken": .string($1.idToken)])
        },
        Action(testDescription: "an unlinked identity") {
            try await $0.post(
                "/v1/accounts:unlink", ["idToken": .string($1.idToken), "deleteProvider": ["google.com"]])
        },
        Action(testDescription: "an identity that accounts:update unlinks") {
            try await $0.update($1.idToken, ["deleteProvider": ["google.com"]])
        },
        Action(testDescription: "a merge") {
            _ = try await $0.signIn($0.appleCredential())
            let preview = try await $0.post(
                "/v1/accounts:merge",
                [
                    "idToken": .string($1.idToken), "dryRun": true, "requestUri": "http://localhost",
                    "postBody": .string(try $0.appleCredential().postBody),
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
        "After twenty changes of credentials in ten minutes, further changes are rejected, and other requests accepted",
        arguments: actions)
    func limit(row: Action) async throws {
        let gateway = try await LimitedGateway().gateway
        let tokens = try await accountAtLimit(in: gateway)
        let answer = try await row.perform(gateway, tokens)
        #expect(row.isLimited ? answer.outcome == Self.tooMany : answer.isSuccess)
        #expect(answer.headers["Retry-After"] == (row.isLimited ? "600" : nil))
    }

    @Test("Limits on changes of credentials apply to each account separately, and end after ten minutes")
    func window() async throws {
        let gateway = try await LimitedGateway().gateway
        let tokens = try await accountAtLimit(in: gateway)
        let other = try await gateway.signUpAnonymously()
        #expect(try await gateway.link(gateway.appleCredential(), to: tokens.idToken).outcome == Self.tooMany)
        #expect(try await gateway.link(gateway.appleCredential(), to: other.idToken).outcome == "200")
        gateway.clock.advance(by: .seconds(600))
        #expect(try await gateway.link(gateway.googleCredential(), to: tokens.idToken).outcome == "200")
    }

    @Test("The limit on changes of credentials also limits the audit events that an anonymous account causes")
    func auditTrail() async throws {
        let gateway = try await LimitedGateway().gateway
        var tokens = try await accountAtLimit(in: gateway)
        for _ in 1...10 {
            let answer = try await gateway.update(tokens.idToken, ["password": "one more"])
            if answer.status == 200 { tokens = try TestGateway.Tokens(answer) }
        }
        #expect(try await gateway.auditTrail().count == Policy.credentialChangeLimit)
    }

    @Test("Conflicts count as changes of credentials, because they reveal whether an identity has an account")
    func conflicts() async throws {
        let gateway = try await LimitedGateway().gateway
        _ = try await gateway.signIn(gateway.googleCredential())
        let caller = try await gateway.signUpAnonymously()
        var outcomes: [String] = []
        for _ in 0...Policy.credentialChangeLimit {
            outcomes.append(try await gateway.link(gateway.googleCredential(), to: caller.idToken).outcome)
        }
        #expect(outcomes.dropLast().allSatisfy { $0 == "400 FEDERATED_USER_ID_ALREADY_LINKED" })
        #expect(outcomes.last == Self.tooMany)
    }

    @Test("Signing in with an identity, and linking it again to its own account, are not counted")
    func notCounted() async throws {
        let gateway = try await LimitedGateway().gateway
        let tokens = try TestGateway.Tokens(await gateway.signIn(gateway.googleCredential()))
        for _ in 0...Policy.credentialChangeLimit {
            #expect(try await gateway.link(gateway.googleCredential(), to: tokens.idToken).outcome == "200")
            #expect(try await gateway.signIn(gateway.googleCredential()).outcome == "200")
        }
    }
}
