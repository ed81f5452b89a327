import Postgres
import Simulators
import Testing

@testable import Support

extension TestGateway {
    /// Unlinks an identity from the account of the tokens, as its user.
    fileprivate func unlink(_ provider: String, from tokens: Tokens) async throws -> Exchange {
        try await post(
            "/v1/accounts:unlink", ["idToken": .string(tokens.idToken), "deleteProvider": [.string(provider)]])
    }
}

@Suite("Merging two accounts")
struct MergeTests {
    /// The source of the merge is an anonymous account. The target is an account with an Apple identity. The pending
    /// token for this identity proves the ownership of the target.
    private struct Fixture {
        let gateway: TestGateway
        let anonymous: TestGateway.Tokens
        let targetID: String
        let pendingToken: String

        init() async throws {
            gateway = try await TestGateway()
            targetID = try #require(try await gateway.signIn(gateway.appleCredential()).json["localId"]?.string)
            anonymous = try await gateway.signUpAnonymously()
            pendingToken = try #require(
                try await gateway.link(gateway.appleCredential(), to: anonymous.idToken).pendingToken)
        }

        func preview() async throws -> Exchange {
            try await gateway.post(
                "/v1/accounts:merge",
                ["idToken": .string(anonymous.idToken), "dryRun": true, "pendingToken": .string(pendingToken)])
        }

        func commit(_ mergeToken: String?) async throws -> Exchange {
            try await gateway.post(
                "/v1/accounts:merge",
                ["idToken": .string(anonymous.idToken), "mergeToken": .string(mergeToken ?? "")])
        }
    }

    @Test("The preview of a merge describes it and changes nothing")
    func preview() async throws {
        let fixture = try await Fixture()
        let preview = try await fixture.preview()
        #expect(preview.json["sourceLocalId"]?.string == fixture.anonymous.localId, "\(preview.text)")
        #expect(preview.json["localId"]?.string == fixture.targetID)
        #expect(preview.json["drops"] == [])
        #expect(preview.json["idToken"] == nil)
        #expect(try await fixture.gateway.lookup(fixture.anonymous.idToken).status == 200)
        #expect(try await fixture.preview().status == 200)
    }

    @Test("A merge signs in to the target, deletes the source with its session, and writes an outbox event")
    func commit() async throws {
        let fixture = try await Fixture()
        let merged = try await fixture.commit(fixture.preview().json["mergeToken"]?.string)
        #expect(merged.json["localId"]?.string == fixture.targetID, "\(merged.text)")
        #expect(merged.json["undoableUntil"] != nil)
        #expect(try await fixture.gateway.lookup(try #require(merged.json["idToken"]?.string)).status == 200)
        #expect(try await fixture.gateway.lookup(fixture.anonymous.idToken).outcome == "400 USER_NOT_FOUND")
        #expect(try await fixture.gateway.refresh(fixture.anonymous.refreshToken).status == 400)
        let events = try await fixture.gateway.database.pool.query(
            "SELECT account_id, data ->> 'source' AS source FROM outbox WHERE kind = 'account.merged'")
        #expect(try events.first?.decode("account_id") == fixture.targetID)
        #expect(try events.first?.decode("source") == fixture.anonymous.localId)
    }

    @Test("A merge uses up the pending token that proved the ownership of the target")
    func usesUpPendingToken() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signIn(gateway.googleCredential())
        let guest = try await gateway.signUpAnonymously()
        // Google's credential has no nonce, so only the pending token itself can be used up.
        let pending = try #require(try await gateway.link(gateway.googleCredential(), to: guest.idToken).pendingToken)
        let preview = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(guest.idToken), "dryRun": true, "pendingToken": .string(pending)])
        let merged = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(guest.idToken), "mergeToken": preview.json["mergeToken"] ?? .null])
        #expect(merged.status == 200, "\(merged.text)")
        #expect(
            try await gateway.signInWithIdp(["pendingToken": .string(pending)]).outcome
                == "400 INVALID_PENDING_TOKEN : The pending token or merge token was already used.")
    }

    /// How the target loses the identity that proved the ownership of the target in the preview.
    struct Loss: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let happen: @Sendable (TestGateway, TestGateway.Tokens) async throws -> Exchange

        static let all = [
            Loss(testDescription: "the target's owner unlinks it") { gateway, owner in
                try await gateway.unlink("google.com", from: owner)
            },
            Loss(testDescription: "an administrator unlinks it") { gateway, owner in
                try await gateway.unlinkIdentity("google.com", of: owner.localId)
            },
            Loss(testDescription: "the target's owner replaces it with another Google identity") { gateway, owner in
                _ = try await gateway.unlink("google.com", from: owner)
                return try await gateway.link(gateway.googleCredential(.alan), to: owner.idToken)
            },
        ]
    }

    @Test(
        "A merge token is invalid after the target has lost the identity that proved the ownership of the target",
        arguments: Loss.all)
    func lostProof(loss: Loss) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let owner = try await gateway.signUpVerified()
        #expect(try await gateway.link(gateway.googleCredential(), to: owner.idToken).status == 200)
        let attacker = try await gateway.signUpAnonymously()
        let preview = try await gateway.post(
            "/v1/accounts:merge",
            [
                "idToken": .string(attacker.idToken), "dryRun": true, "requestUri": "http://localhost",
                "postBody": .string(try gateway.googleCredential().postBody),
            ])
        #expect(preview.status == 200, "\(preview.text)")
        let lost = try await loss.happen(gateway, owner)
        #expect(lost.isSuccess, "\(lost.text)")
        let merged = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(attacker.idToken), "mergeToken": preview.json["mergeToken"] ?? .null])
        #expect(merged.outcome.hasPrefix("400 MERGE_PREVIEW_OUTDATED"), "\(merged.outcome)")
    }

    @Test("A merge moves the source's identities, and the source's members that the target does not have")
    func moves() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signIn(gateway.appleCredential(.alan))
        let source = try await gateway.signUp(email: "alan@example.com")
        _ = try await gateway.link(gateway.googleCredential(), to: source.idToken)
        _ = try await gateway.update(source.idToken, ["displayName": "Alan"])
        let proof = try gateway.appleCredential(.alan)
        let preview = try await gateway.post(
            "/v1/accounts:merge",
            [
                "idToken": .string(source.idToken), "dryRun": true, "postBody": .string(proof.postBody),
                "requestUri": "http://localhost",
            ])
        #expect(preview.json["moves"]?["providers"] == ["google.com"], "\(preview.text)")
        #expect(preview.json["moves"]?["email"] == true)
        let merged = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(source.idToken), "mergeToken": preview.json["mergeToken"] ?? .null])
        let id = try #require(merged.json["localId"]?.string, "\(merged.text)")
        #expect(try await gateway.signIn(email: "alan@example.com").json["localId"]?.string == id)
        #expect(try await gateway.signIn(gateway.googleCredential()).json["localId"]?.string == id)
        #expect(
            try await gateway.accountSeenByUser(try #require(merged.json["idToken"]?.string))["displayName"] == "Alan")
        // The merge uses up the credential. The dry run does not.
        #expect(try await gateway.signIn(proof).outcome.hasPrefix("400 MISSING_OR_INVALID_NONCE"))
    }

    enum Problem: CaseIterable {
        case identityOfNoAccount, sameAccount, bothHaveApple, oldLogin, neitherDryRunNorMergeToken
    }

    @Test("Each invalid request for a merge is rejected with a specific error", arguments: Problem.allCases)
    func refused(problem: Problem) async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signIn(gateway.appleCredential())
        var body: [String: JSON] = ["dryRun": true, "requestUri": "http://localhost"]
        let expected: String
        switch problem {
        case .identityOfNoAccount:
            body["idToken"] = .string(try await gateway.signUpAnonymously().idToken)
            body["postBody"] = .string(try gateway.googleCredential().postBody)
            expected = "400 USER_NOT_FOUND"
        case .sameAccount:
            body["idToken"] = ada.json["idToken"]
            body["postBody"] = .string(try gateway.appleCredential().postBody)
            expected = "400 MERGE_SAME_ACCOUNT"
        case .bothHaveApple:
            body["idToken"] = try await gateway.signIn(gateway.appleCredential(.grace)).json["idToken"]
            body["postBody"] = .string(try gateway.appleCredential().postBody)
            expected = "400 PROVIDER_ALREADY_LINKED"
        case .oldLogin:
            body["idToken"] = try await gateway.signIn(gateway.googleCredential()).json["idToken"]
            // A recent login is at most 300 seconds old.
            gateway.clock.advance(by: .seconds(301))
            body["postBody"] = .string(try gateway.appleCredential().postBody)
            expected = "400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
        case .neitherDryRunNorMergeToken:
            body["idToken"] = .string(try await gateway.signUpAnonymously().idToken)
            body["postBody"] = .string(try gateway.appleCredential().postBody)
            body["dryRun"] = false
            expected = "400 MISSING_MERGE_TOKEN"
        }
        let exchange = try await gateway.post("/v1/accounts:merge", .object(body))
        #expect(exchange.outcome.hasPrefix(expected), "\(exchange.text)")
    }

    @Test("A merge is rejected if an account has changed since the preview")
    func outdated() async throws {
        let fixture = try await Fixture()
        let token = try await fixture.preview().json["mergeToken"]?.string
        _ = try await fixture.gateway.link(fixture.gateway.googleCredential(), to: fixture.anonymous.idToken)
        #expect(try await fixture.commit(token).outcome.hasPrefix("400 MERGE_PREVIEW_OUTDATED"))
        #expect(try await fixture.gateway.lookup(fixture.anonymous.idToken).status == 200)
    }

    @Test("A merge token is accepted only from the account that it was issued to, for ten minutes")
    func tokens() async throws {
        let fixture = try await Fixture()
        let token = try await fixture.preview().json["mergeToken"] ?? .null
        let other = try await fixture.gateway.signUpAnonymously()
        let stolen = try await fixture.gateway.post(
            "/v1/accounts:merge", ["idToken": .string(other.idToken), "mergeToken": token])
        #expect(stolen.outcome.hasPrefix("400 INVALID_PENDING_TOKEN"))
        fixture.gateway.clock.advance(by: .seconds(601))
        #expect(try await fixture.commit(token.string).outcome.hasPrefix("400 INVALID_PENDING_TOKEN"))
    }
}
