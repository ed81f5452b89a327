import Testing

@testable import Support

@Suite("Looking up accounts as an administrator", .serialized)
struct AdminLookupTests {
    /// Ada with every member, Bob with a phone number, Eve with none.
    static func populated() async throws -> TestGateway {
        let gateway = try await TestGateway.administered()
        let users: JSON = [
            [
                "localId": "ada", "email": "ada@example.com", "rawPassword": "secret1",
                "providerUserInfo": [["providerId": "google.com", "rawId": "g1", "email": "ada@gmail.com"]],
                "customAttributes": "{\"role\":\"editor\"}",
            ], ["localId": "bob", "phoneNumber": "+15555550100"], ["localId": "eve"],
        ]
        #expect(try await gateway.administer(":batchCreate", ["users": users]).json["error"] == [])
        return gateway
    }

    @Test(
        "finds accounts by every kind of reference, in the order of the request, each account once",
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
        let answer = try await Self.populated().administer(":lookup", body)
        #expect(answer.json["kind"] == "identitytoolkit#GetAccountInfoResponse")
        #expect(answer.json.keys == (expected.isEmpty ? ["kind"] : ["kind", "users"]))
        #expect((0..<expected.count).map { answer.json["users"]?[$0]?["localId"]?.string } == expected)
        #expect(answer.json["users"]?[expected.count] == nil)
    }

    @Test("returns everything stored about an account, with a fixed text instead of the password hash")
    func members() async throws {
        let ada = try await Self.populated().user("ada")
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

    @Test("accepts at most 100 references")
    func limit() async throws {
        let gateway = try await TestGateway.administered()
        let ids = JSON.array((1...100).map { .string("a\($0)") })
        #expect(try await gateway.administer(":lookup", ["localId": ids]).outcome == "200")
        let answer = try await gateway.administer(":lookup", ["localId": ids, "email": ["ada@example.com"]])
        #expect(answer.json["error"]?["status"] == "INVALID_ARGUMENT")
    }

    @Test("is available to a service key on the unscoped path")
    func unscoped() async throws {
        let gateway = try await Self.populated()
        let answer = try await gateway.administerUnscoped(":lookup", ["localId": ["ada"]])
        #expect(answer.json["users"]?[0]?["localId"] == "ada")
    }
}
