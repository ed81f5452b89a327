import Testing

@testable import Support

@Suite("Looking up accounts as an administrator", .serialized)
struct AdminLookupTests {
    /// A gateway with three accounts. Ada has an address, a password, an identity and claims. Bob has a phone number,
    /// and Eve has only an ID.
    static func populated() async throws -> TestGateway {
        let gateway = try await TestGateway.withServiceKey()
        let users: JSON = [
            [
                "localId": "ada", "email": "ada@example.com", "rawPassword": "secret1",
                "providerUserInfo": [["providerId": "google.com", "rawId": "g1", "email": "ada@gmail.com"]],
                "customAttributes": "{\"role\":\"editor\"}",
            ], ["localId": "bob", "phoneNumber": "+15555550100"], ["localId": "eve"],
        ]
        #expect(try await gateway.administerAccounts(":batchCreate", ["users": users]).json["error"] == nil)
        return gateway
    }

    @Test(
        "A lookup lists each account once: first those found by ID, then by address, then by phone number",
        arguments: [
            (["localId": ["eve", "ada", "nobody", "ada"]], ["eve", "ada"]),
            (["email": ["ADA@example.com", "nonsense"]], ["ada"]),
            (["phoneNumber": ["+15555550100", "5"]], ["bob"]),
            (["federatedUserId": [["providerId": "google.com", "rawId": "g1"]]], ["ada"]),
            (["federatedUserId": [["providerId": "phone", "rawId": "+15555550100"]]], ["bob"]),
            (["federatedUserId": [["providerId": "password", "rawId": "ada@example.com"]]], ["ada"]),
            (["federatedUserId": [["providerId": "google.com", "rawId": "g2"], [:]]], []),
            (
                ["phoneNumber": ["+15555550100"], "email": ["ada@example.com"], "localId": ["eve"]],
                ["eve", "ada", "bob"]
            ),
            (["idToken": "x"], []),
            ([:], []),
        ] as [(JSON, [String])])
    func order(body: JSON, expected: [String]) async throws {
        let answer = try await Self.populated().administerAccounts(":lookup", body)
        #expect(answer.json["kind"] == "identitytoolkit#GetAccountInfoResponse")
        #expect(answer.json.keys == (expected.isEmpty ? ["kind"] : ["kind", "users"]))
        #expect((0..<expected.count).map { answer.json["users"]?[$0]?["localId"]?.string } == expected)
        #expect(answer.json["users"]?[expected.count] == nil)
    }

    @Test("A lookup returns the stored members of an account, and a fixed text instead of the password hash")
    func members() async throws {
        let ada = try await Self.populated().accountSeenByAdmin("ada")
        #expect(
            ada.keys == [
                "localId", "email", "emailVerified", "disabled", "providerUserInfo", "passwordHash",
                "passwordUpdatedAt", "validSince", "createdAt", "customAttributes",
            ])
        #expect(ada["passwordHash"] == "UkVEQUNURUQ=")
        #expect(ada["customAttributes"] == "{\"role\":\"editor\"}")
        #expect(
            ada["providerUserInfo"]?[1] == [
                "providerId": "google.com", "rawId": "g1", "federatedId": "g1", "email": "ada@gmail.com",
            ])
    }

    @Test("A lookup accepts at most 100 IDs and addresses together")
    func limit() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ids = JSON.array((1...100).map { .string("a\($0)") })
        #expect(try await gateway.administerAccounts(":lookup", ["localId": ids]).outcome == "200")
        let answer = try await gateway.administerAccounts(":lookup", ["localId": ids, "email": ["ada@example.com"]])
        #expect(answer.json["error"]?["status"] == "INVALID_ARGUMENT")
    }

    @Test("A service key can look up accounts on a path that names no project")
    func unscoped() async throws {
        let gateway = try await Self.populated()
        let answer = try await gateway.administerAccountsWithoutProjectInPath(":lookup", ["localId": ["ada"]])
        #expect(answer.json["users"]?[0]?["localId"] == "ada")
    }
}
