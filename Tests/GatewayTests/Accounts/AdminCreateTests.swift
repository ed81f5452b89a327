import Testing

@testable import Support

@Suite("Creating an account as an administrator", .serialized)
struct AdminCreateTests {
    static let ada: JSON = [
        "localId": "ada", "email": "Ada@example.com", "emailVerified": true, "password": "secret1",
        "displayName": "Ada", "photoUrl": "https://example.com/a.png", "phoneNumber": "+15555550100",
    ]

    @Test("A new account has the members of the request, gets no tokens, and can sign in", arguments: [true, false])
    func happyPath(pathNamesProject: Bool) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let made =
            pathNamesProject
            ? try await gateway.createAccountAsAdmin(Self.ada)
            : try await gateway.administerAccountsWithoutProjectInPath(":signUp", Self.ada)
        #expect(
            made.json == [
                "kind": "identitytoolkit#SignupNewUserResponse", "localId": "ada", "email": "ada@example.com",
                "displayName": "Ada",
            ])
        let user = try await gateway.accountSeenByAdmin("ada")
        #expect(
            user.keys == [
                "localId", "email", "emailVerified", "displayName", "photoUrl", "phoneNumber", "disabled",
                "providerUserInfo", "passwordHash", "passwordUpdatedAt", "validSince", "createdAt",
            ])
        #expect(user["emailVerified"] == true)
        #expect(
            user["providerUserInfo"]?[1] == [
                "providerId": "phone", "rawId": "+15555550100", "phoneNumber": "+15555550100",
            ])
        let signedIn = try await gateway.signIn()
        #expect(signedIn.json["localId"] == "ada")
        let token = try claims(of: try #require(signedIn.json["idToken"]?.string))
        #expect(token["phone_number"] == "+15555550100")
    }

    @Test("An account can be created without any member, and gets a generated ID")
    func withoutMembers() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let made = try await gateway.createAccountAsAdmin()
        #expect(made.json["localId"]?.string?.count == 28)
        #expect(made.json.keys == ["kind", "localId"])
    }

    @Test(
        "If several members of a request are invalid, the error is the one that Firebase checks first",
        arguments: [
            (["localId": "x", "idToken": "x"], "400 UNEXPECTED_PARAMETER : User ID"),
            (["localId": "ada", "phoneNumber": "1"], "400 DUPLICATE_LOCAL_ID"),
            (["phoneNumber": "1", "email": "nonsense"], "400 INVALID_PHONE_NUMBER : Invalid format."),
            (["phoneNumber": "+1234567890123456"], "400 INVALID_PHONE_NUMBER : Invalid format."),
            (["phoneNumber": "+"], "400 INVALID_PHONE_NUMBER : Invalid format."),
            (["phoneNumber": "+15555550100", "email": "nonsense"], "400 PHONE_NUMBER_EXISTS"),
            (["email": "nonsense", "password": "x"], "400 INVALID_EMAIL"),
            (["email": "ADA@example.com", "password": "x"], "400 EMAIL_EXISTS"),
            (
                ["email": "new@example.com", "password": "x"],
                "400 WEAK_PASSWORD : Password should be at least 6 characters"
            ),
            (["mfaInfo": [[:]]], "400 INVALID_MFA_PHONE_NUMBER : Invalid format."),
            (["tenantId": "t"], "404 TENANT_NOT_FOUND"),
            (["targetProjectId": "demo"], "200"),
            (["targetProjectId": "other"], "403 The caller does not have permission"),
        ] as [(JSON, String)])
    func refusals(body: JSON, expected: String) async throws {
        let gateway = try await TestGateway.withServiceKey()
        _ = try await gateway.createAccountAsAdmin(Self.ada)
        #expect(try await gateway.createAccountAsAdmin(body).outcome == expected)
    }

    @Test(
        "IDs with NUL or more than 128 UTF-16 code units are rejected",
        arguments: ["a\0b", String(repeating: "a", count: 129), String(repeating: "🥝", count: 65)])
    func badID(id: String) async throws {
        let answer = try await TestGateway.withServiceKey().createAccountAsAdmin(["localId": .string(id)])
        #expect(answer.json["error"]?["status"] == "INVALID_ARGUMENT")
    }

    @Test("The ID of a deleted account can be reused; the new account has no data of the deleted one")
    func reusedID() async throws {
        let gateway = try await TestGateway.withServiceKey()
        _ = try await gateway.createAccountAsAdmin(Self.ada)
        let tokens = try TestGateway.Tokens(await gateway.signIn())
        for _ in 1...2 {
            #expect(try await gateway.administerAccounts(":delete", ["localId": "ada"]).outcome == "200")
            #expect(try await gateway.createAccountAsAdmin(["localId": "ada"]).outcome == "200")
        }
        let user = try await gateway.accountSeenByAdmin("ada")
        #expect(user.keys == ["localId", "disabled", "validSince", "createdAt"])
        #expect(try await gateway.lookup(tokens.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.refresh(tokens.refreshToken).outcome == "400 TOKEN_EXPIRED")
    }

    @Test(
        "Concurrent requests with the same ID, phone number or address create one account",
        arguments: [
            (["localId": "ada"], "400 DUPLICATE_LOCAL_ID"),
            (["phoneNumber": "+15555550100"], "400 PHONE_NUMBER_EXISTS"),
            (["email": "ada@example.com"], "400 EMAIL_EXISTS"),
        ] as [(JSON, String)])
    func race(body: JSON, expected: String) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let outcomes = try await concurrently(20) { _ in try await gateway.createAccountAsAdmin(body).outcome }
        #expect(outcomes.sorted() == ["200"] + Array(repeating: expected, count: 19))
    }
}
