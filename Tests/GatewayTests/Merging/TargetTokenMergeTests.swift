import Testing

@testable import Support

@Suite("A merge whose target is proven by an ID token")
struct TargetTokenMergeTests {
    @Test(
        "The target's ID token proves the ownership of the target, and the new session gets the login time of that token"
    )
    func targetIDToken() async throws {
        let gateway = try await TestGateway()
        let guest = try await gateway.signUpAnonymously()
        let ada = try await gateway.signUp()
        // A login is recent for 300 seconds.
        gateway.clock.advance(by: .seconds(200))
        let preview = try await gateway.previewMerge(guest, into: ada)
        let merged = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(guest.idToken), "mergeToken": preview.json["mergeToken"] ?? .null])
        #expect(merged.json["localId"]?.string == ada.localId, "\(merged.text)")
        #expect(merged.json["expiresIn"] == 3600)
        let fresh = try #require(merged.json["idToken"]?.string)
        #expect(try claims(of: fresh)["auth_time"] == claims(of: ada.idToken)["auth_time"])
        // Now 400 seconds after the login. A recent login is at most 300 seconds old.
        gateway.clock.advance(by: .seconds(200))
        #expect(try await gateway.delete(fresh).outcome == "400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    }

    enum Problem: CaseIterable {
        case oldLogin, endedSession, sourceIsTarget, besidePendingToken
    }

    @Test(
        "The target's ID token is rejected if its login is old, its session has ended, it is the source's own, or a pending token is also sent",
        arguments: Problem.allCases)
    func targetRefused(problem: Problem) async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        var guest = try await gateway.signUpAnonymously()
        var more: [String: JSON] = [:]
        let expected: String
        switch problem {
        case .oldLogin:
            // A recent login is at most 300 seconds old.
            gateway.clock.advance(by: .seconds(301))
            expected = "400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
        case .endedSession:
            _ = try await gateway.update(ada.idToken, ["password": "secret2"])
            expected = "400 TOKEN_EXPIRED"
        case .sourceIsTarget:
            guest = ada
            expected = "400 MERGE_SAME_ACCOUNT"
        case .besidePendingToken:
            more["pendingToken"] = "x"
            expected = "400 Invalid JSON payload received. must have only one of"
        }
        let preview = try await gateway.previewMerge(guest, into: ada, more)
        #expect(preview.outcome.hasPrefix(expected), "\(preview.text)")
    }

    @Test("A merge is rejected if the target's session ends before the commit")
    func endedTarget() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        let guest = try await gateway.signUpAnonymously()
        let preview = try await gateway.previewMerge(guest, into: ada)
        let ended = try await gateway.post(
            "/v1/accounts:revokeSession", ["idToken": .string(ada.idToken), "sessionId": "current"])
        #expect(ended.outcome == "204")
        let merged = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(guest.idToken), "mergeToken": preview.json["mergeToken"] ?? .null])
        #expect(merged.outcome.hasPrefix("400 MERGE_PREVIEW_OUTDATED"), "\(merged.text)")
    }
}

extension TestGateway {
    /// Makes the dry run of a merge. The target's ID token proves the ownership of the target.
    fileprivate func previewMerge(
        _ source: Tokens, into target: Tokens, _ more: [String: JSON] = [:]
    ) async throws -> Exchange {
        let body: [String: JSON] = [
            "idToken": .string(source.idToken), "dryRun": true, "targetIdToken": .string(target.idToken),
        ]
        return try await post("/v1/accounts:merge", .object(body.merging(more) { $1 }))
    }
}
