import Encoding
import Identity
import Postgres
import Testing

@testable import DevMode
@testable import Support

@Suite("Merges of accounts with second factors")
struct MergedFactorTests {
    @Test("Undone merges of merged accounts return each factor to the account that enrolled it")
    func nested() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpEnrolled()
        let grace = try await gateway.signUpEnrolled(email: "grace@example.com")
        let mary = try await gateway.signUpEnrolled(email: "mary@example.com")
        // The links that remove the factors have expired.
        gateway.clock.advance(by: .seconds(8 * 86_400))
        func signIn(_ email: String, _ account: EnrolledAccount) async throws -> String {
            let done = try await gateway.finalizeSignIn(
                gateway.signIn(email: email), account.factor, account.app.code(at: gateway.clock.now))
            return try #require(done.json["idToken"]?.string, "\(done.text)")
        }
        let merged = try await gateway.merge(
            signIn("ada@example.com", ada), into: signIn("grace@example.com", grace))
        gateway.clock.advance(by: .seconds(1))
        _ = try await gateway.merge(
            try #require(merged.json["idToken"]?.string, "\(merged.text)"), into: signIn("mary@example.com", mary))
        gateway.clock.advance(by: .seconds(1))
        for (source, email) in [(grace, "grace@example.com"), (ada, "ada@example.com")] {
            let notice = try await gateway.emails(.accountsMerged).last {
                $0.recipient == email && $0.content.code != nil
            }
            _ = try await gateway.submitActionPage(try #require(notice?.content.code))
            #expect(try await gateway.factors(of: source.localId) == [source.factor])
            gateway.clock.advance(by: .seconds(1))
        }
        #expect(try await gateway.factors(of: mary.localId) == [mary.factor])
    }

    @Test("The link that undoes a merge removes a factor whose removal link the merge has deleted")
    func recentFactor() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        gateway.clock.advance(by: .seconds(1))
        let stolen = try await gateway.enrol(TestGateway.Tokens(await gateway.signIn()))
        let eve = try await gateway.signUpEnrolled(email: "eve@example.com")
        let merged = try await gateway.merge(stolen.idToken, into: eve.idToken)
        #expect(merged.json["idToken"] != nil, "\(merged.text)")
        let notice = try await gateway.emails(.accountsMerged).last { $0.content.code != nil }
        #expect(notice?.recipient == "ada@example.com")
        _ = try await gateway.submitActionPage(try #require(notice?.content.code))
        #expect(try await gateway.factors(of: ada.localId) == [])
        #expect(try await gateway.factors(of: eve.localId) == [eve.factor])
    }

    private static let secrets = ["12345678901234567890", "ABCDEFGHIJKLMNOPQRST"].map { Array($0.utf8) }

    /// Imports an account whose second factor has the ID `factor`.
    private func makeAccount(_ id: String, secret: [UInt8], in gateway: TestGateway) async throws {
        let user: JSON = [
            "localId": .string(id), "email": .string("\(id)@example.com"), "emailVerified": true,
            "rawPassword": "secret1",
            "mfaInfo": [
                ["mfaEnrollmentId": "factor", "totpInfo": ["sharedSecretKey": .string(Base32.encode(secret))]]
            ],
        ]
        let imported = try await gateway.administerAccounts(":batchCreate", ["users": [user]])
        #expect(imported.json["error"] == nil, "\(imported.text)")
    }

    private func signIn(_ id: String, secret: [UInt8], in gateway: TestGateway) async throws -> String {
        gateway.clock.advance(by: .seconds(30))
        let done = try await gateway.finalizeSignIn(
            gateway.signIn(email: "\(id)@example.com"), "factor",
            AuthenticatorApp(secret: secret).code(at: gateway.clock.now))
        return try #require(done.json["idToken"]?.string, "\(done.text)")
    }

    @Test("A merge keeps the source's factor if the target has one with the same ID, or an earlier source had the ID")
    func sameID() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let (first, second) = (Self.secrets[0], Self.secrets[1])
        try await makeAccount("grace", secret: second, in: gateway)
        for _ in 1...2 {
            // The second account with the ID replaces the first one, whose merge can no longer be undone.
            try await makeAccount("ada", secret: first, in: gateway)
            let merged = try await gateway.merge(
                signIn("ada", secret: first, in: gateway), into: signIn("grace", secret: second, in: gateway))
            #expect(merged.json["idToken"] != nil, "\(merged.text)")
        }
        let undone = try await gateway.administerAccounts(
            ":undoMerge", ["sourceLocalId": "ada", "allowNoSignInMethod": true])
        #expect(undone.isSuccess, "\(undone.text)")
        _ = try await signIn("ada", secret: first, in: gateway)
        _ = try await signIn("grace", secret: second, in: gateway)
        #expect(try await gateway.factors(of: "ada") == ["factor"])
    }

    @Test("A merge is not committed if the target has enrolled a factor since the preview")
    func enrolledSincePreview() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        #expect(try await gateway.link(gateway.googleCredential(), to: ada.idToken).status == 200)
        let eve = try await gateway.signUp(email: "eve@example.com")
        let preview = try await gateway.post(
            "/v1/accounts:merge",
            [
                "idToken": .string(eve.idToken), "dryRun": true, "requestUri": "http://localhost",
                "postBody": .string(gateway.googleCredential().postBody),
            ])
        #expect(preview.json["mergeToken"] != nil, "\(preview.text)")
        _ = try await gateway.enrol(TestGateway.Tokens(await gateway.signIn()))
        let merged = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(eve.idToken), "mergeToken": preview.json["mergeToken"] ?? .null])
        #expect(merged.wireCode == "MERGE_PREVIEW_OUTDATED", "\(merged.text)")
    }
}

extension TestGateway {
    /// Merges the account of `source` into the account of `target`, after a dry run.
    fileprivate func merge(_ source: String, into target: String) async throws -> Exchange {
        let preview = try await post(
            "/v1/accounts:merge", ["idToken": .string(source), "targetIdToken": .string(target), "dryRun": true])
        return try await post(
            "/v1/accounts:merge", ["idToken": .string(source), "mergeToken": preview.json["mergeToken"] ?? .null])
    }

    /// The IDs of the second factors of an account.
    fileprivate func factors(of localId: String) async throws -> [String] {
        try await accountSeenByAdmin(localId)["mfaInfo"]?.elements.compactMap { $0["mfaEnrollmentId"]?.string } ?? []
    }
}
