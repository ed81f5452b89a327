import HTTP
import Identity
import Testing

@testable import Gateway
@testable import Support

/// The operators' project does not demand second factors here, so that the API's sessions are not restricted.
@Suite("What protects the accounts of people who use the console", .serialized)
struct ProtectedRoleTests {
    @Test("The password alone changes nothing of an account with a passkey, although no second factor is demanded")
    func passwordAlone() async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole, secondFactors: .enabled)
        let (ada, enrolled) = try await fixture.signInWithPasskey(as: "owner")
        _ = try await fixture.signInWithPasskey("eve@example.com", as: "owner")
        var device = enrolled
        let password = try await fixture.signInWithPassword(ada)
        for idToken in [password, try await fixture.signInToAPI(&device)] {
            for (path, more) in Self.changes(removing: device) {
                let body = JSON.object(more.merging(["idToken": idToken]) { $1 })
                let response = try await fixture.gateway.post(path, body, key: ConsoleFixture.apiKey)
                let isRefused = response.wireCode == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
                #expect(isRefused == (idToken == password), "\(path) \(more): \(response.text)")
            }
        }
    }

    private static func changes(removing device: TestPasskey) -> [(path: String, members: [String: JSON])] {
        [
            ("/v2/accounts/passkeyEnrollment:start", [:]),
            ("/v1/accounts:sendOobCode", ["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "thief@example.com"]),
            ("/v1/accounts:update", ["deletePasskey": [.string(device.id)]]),
            ("/v1/accounts:delete", [:]),
        ]
    }

    enum Pair: CaseIterable {
        case ownerIsTarget, ownerIsSource, invitedIsTarget
    }

    @Test("A client merges no account with a role or an invitation, with both sides proven", arguments: Pair.allCases)
    func merge(pair: Pair) async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole, secondFactors: .enabled)
        _ = try await fixture.signIn("owner@example.com", as: "owner")
        let (_, enrolled) = try await fixture.signInWithPasskey(as: pair == .invitedIsTarget ? "viewer" : "owner")
        var device = enrolled
        let person = try await fixture.signInToAPI(&device)
        let plain = try await fixture.plainAccount()
        if pair == .invitedIsTarget {
            #expect(try await fixture.invite("plain@example.com", "owner").outcome == "200")
            let found = try await fixture.administer("lookup", ["email": ["ada@example.com"]])
            let id = try #require(found.json["users"]?[0]?["localId"]?.string)
            let role = "/v2/projects/other/administrators/\(id)"
            #expect(try await fixture.gateway.send(.delete, role, by: fixture.operatorsKey).isSuccess)
        }
        let source = pair == .ownerIsTarget ? plain : try await fixture.signInToAPI(&device)
        let target = pair == .ownerIsTarget ? person : plain
        let preview = try await fixture.gateway.post(
            "/v1/accounts:merge", ["idToken": source, "targetIdToken": target, "dryRun": true],
            key: ConsoleFixture.apiKey)
        let merged = try await fixture.gateway.post(
            "/v1/accounts:merge", ["idToken": source, "mergeToken": preview.json["mergeToken"] ?? .null],
            key: ConsoleFixture.apiKey)
        #expect(
            merged.outcome.hasPrefix("400 OPERATION_NOT_ALLOWED : An account of a person with a role in the console"),
            "\(preview.text) \(merged.text)")
    }
}

extension ConsoleFixture {
    /// Signs a person in to the operators' project with a passkey, as an app does.
    ///
    /// - Returns: the ID token.
    fileprivate func signInToAPI(_ device: inout TestPasskey) async throws -> JSON {
        let started = try await gateway.startPasskeySignIn(key: Self.apiKey)
        let signedIn = try await gateway.finalizePasskeySignIn(try device.sign(started), key: Self.apiKey)
        return try #require(signedIn.json["idToken"], "\(signedIn.text)")
    }

    /// Creates an account that has only a password.
    ///
    /// - Returns: the ID token of its session.
    fileprivate func plainAccount() async throws -> JSON {
        let body: JSON = ["email": "plain@example.com", "emailVerified": true, "password": .string(Self.password)]
        let created = try await gateway.send(.post, "/v1/projects/other/accounts", body, by: operatorsKey)
        #expect(created.outcome == "200", "\(created.text)")
        let signedIn = try await gateway.post(
            "/v1/accounts:signInWithPassword",
            ["email": "plain@example.com", "password": .string(Self.password)], key: Self.apiKey)
        return try #require(signedIn.json["idToken"], "\(signedIn.text)")
    }
}
