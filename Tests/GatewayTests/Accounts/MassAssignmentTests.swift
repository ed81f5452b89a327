import Encoding
import Identity
import Postgres
import Testing

@testable import Support

@Suite("Members that clients may not write")
struct MassAssignmentTests {
    /// Members whose values a client may not choose, with recognizable values.
    static let members: [(String, JSON)] = [
        ("emailVerified", true), ("customAttributes", "{\"admin\":true}"), ("validSince", "1"), ("disableUser", true),
        ("disabled", true), ("localId", "root"), ("localId", "bob"), ("uid", "bob"), ("createdAt", "1000"),
        ("lastLoginAt", "1000"),
        ("linkProviderUserInfo", ["providerId": "google.com", "rawId": "victim"]),
        ("providerUserInfo", [["providerId": "google.com", "rawId": "victim"]]), ("phoneNumber", "+15555550100"),
        ("passwordHash", "aGFzaA"), ("salt", "c2FsdA"), ("tenantId", ""), ("mfaInfo", [["phoneInfo": "+15555550100"]]),
        ("claims", ["admin": true]), ("returnOobLink", true), ("generation", 9), ("realm_id", "other"),
    ]

    static let operations = ["signUp", "signUp with a token", "update", "signInWithPassword", "lookup", "sendOobCode"]

    @Test("Members that clients may not write are rejected or have no effect", arguments: operations, members.indices)
    func member(operation: String, index: Int) async throws {
        let (name, value) = Self.members[index]
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        let guest = try await gateway.signUpAnonymously()
        // The account of another user, with the ID that some of the members name.
        try await gateway.database.pool.execute(
            """
            INSERT INTO account (realm_id, id, created_at, valid_since)
            SELECT realm_id, 'bob', created_at, valid_since FROM account WHERE id = \(ada.localId)
            """)
        let (path, valid): (String, [String: JSON]) =
            switch operation {
            case "signUp": ("signUp", ["email": "new@example.com", "password": "secret1"])
            case "signUp with a token":
                ("signUp", ["idToken": .string(guest.idToken), "email": "new@example.com", "password": "secret1"])
            case "update": ("update", ["idToken": .string(ada.idToken), "displayName": "Ada"])
            case "signInWithPassword": ("signInWithPassword", ["email": "ada@example.com", "password": "secret1"])
            case "lookup": ("lookup", ["idToken": .string(ada.idToken)])
            default: ("sendOobCode", ["requestType": "PASSWORD_RESET", "email": "ada@example.com"])
            }
        let answer = try await gateway.post(
            "/v1/accounts:\(path)", .object(valid.merging([name: value]) { $1 }))
        #expect([200, 400, 501].contains(answer.status), "\(answer.text)")
        #expect(answer.json["oobLink"] == nil && answer.json["oobCode"] == nil)
        #expect(answer.json["localId"] != "bob" && answer.json["users"]?[0]?["localId"] != "bob")
        let start = gateway.clock.now.seconds
        // A client may end its account's sessions, which increments the account's generation from 1 to 2.
        let changed = try await gateway.database.pool.query(
            """
            SELECT to_jsonb(a)::text AS account FROM account a
            WHERE email_verified OR custom_claims IS NOT NULL OR disabled_at IS NOT NULL OR phone_number IS NOT NULL
                OR id = 'root' OR realm_id <> 'demo' OR generation > 2 OR created_at < to_timestamp(\(start))
                OR last_sign_in_at < to_timestamp(\(start)) OR valid_since < to_timestamp(\(start))
                OR password_hash NOT LIKE '$argon2id$%'
                OR id = 'bob' AND (email IS NOT NULL OR display_name IS NOT NULL OR generation > 1)
            """
        ).map { try $0.decode("account", as: String.self) }
        #expect(changed == [])
        #expect(try await gateway.database.pool.query("SELECT 1 AS one FROM linked_identity").isEmpty)
        if let token = answer.json["idToken"]?.string { #expect(try claims(of: token)["admin"] == nil) }
    }

    @Test("ID tokens and refresh tokens of one project are rejected with another project's API key")
    func otherProject() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        try await gateway.makeOtherProject(apiKey: "pk_other")
        for operation in ["lookup", "update", "delete", "listSessions", "revokeSession"] {
            let answer = try await gateway.post(
                "/v1/accounts:\(operation)",
                ["idToken": .string(ada.idToken), "displayName": "Eve", "everywhere": true], key: "pk_other")
            #expect(answer.outcome.hasPrefix("400 INVALID_ID_TOKEN"), "\(operation): \(answer.outcome)")
        }
        let refresh = try await gateway.post(
            "/v1/token", ["grant_type": "refresh_token", "refresh_token": .string(ada.refreshToken)], key: "pk_other")
        #expect(refresh.status == 400)
        #expect(try await gateway.lookup(ada.idToken).status == 200)
    }
}
