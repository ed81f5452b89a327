import Testing

@testable import Support

@Suite("Changing an account as an administrator", .serialized)
struct AdminUpdateTests {
    /// A gateway with Ada, who has a verified address and a password, and with Bob, who has an unverified address, a
    /// phone number and the Google identity `taken`.
    static func withAdaAndBob() async throws -> TestGateway {
        let gateway = try await TestGateway.withServiceKey()
        _ = try await gateway.createAccountAsAdmin([
            "localId": "ada", "email": "ada@example.com", "emailVerified": true, "password": "secret1",
        ])
        _ = try await gateway.createAccountAsAdmin([
            "localId": "bob", "email": "bob@example.com", "phoneNumber": "+15555550199",
        ])
        _ = try await gateway.administerAccounts(
            ":update",
            ["localId": "bob", "linkProviderUserInfo": ["providerId": "google.com", "rawId": "taken"]])
        return gateway
    }

    @Test("An administrator can set profile, address, password, phone number, claims, times and an identity")
    func everything() async throws {
        let gateway = try await Self.withAdaAndBob()
        let changed = try await gateway.administerAccounts(
            ":update",
            [
                "localId": "ada", "displayName": "Ada", "photoUrl": "https://example.com/a.png",
                "email": "Lady@example.com", "emailVerified": true, "password": "secret2",
                "phoneNumber": "+15555550100", "disableUser": true, "customAttributes": "{\"role\":\"editor\"}",
                "validSince": 1_800_000_007, "createdAt": "1700000000001", "lastLoginAt": "1700000000002",
                "linkProviderUserInfo": ["providerId": "google.com", "rawId": "g1", "displayName": "A"],
            ])
        #expect(
            changed.json.keys == [
                "kind", "localId", "email", "emailVerified", "displayName", "photoUrl", "providerUserInfo",
            ])
        #expect(changed.json["kind"] == "identitytoolkit#SetAccountInfoResponse")
        let user = try await gateway.accountSeenByAdmin("ada")
        let expected: [String: JSON] = [
            "displayName": "Ada", "photoUrl": "https://example.com/a.png", "email": "lady@example.com",
            "emailVerified": true, "phoneNumber": "+15555550100", "disabled": true,
            "customAttributes": "{\"role\":\"editor\"}", "validSince": "1800000007", "createdAt": "1700000000001",
            "lastLoginAt": "1700000000002",
        ]
        for (member, value) in expected { #expect(user[member] == value, "\(member)") }
        let providers = (0..<3).map { user["providerUserInfo"]?[$0]?["providerId"]?.string }
        #expect(providers == ["password", "google.com", "phone"])
        _ = try await gateway.administerAccounts(":update", ["localId": "ada", "disableUser": false])
        let signedIn = try await gateway.signIn(email: "lady@example.com", password: "secret2")
        #expect(try claims(of: try #require(signedIn.json["idToken"]?.string))["role"] == "editor")
    }

    @Test(
        "A request to update an account is checked in the order of the wire protocol",
        arguments: [
            ([:], "400 MISSING_LOCAL_ID"),
            (["localId": "nobody", "email": "nonsense"], "400 USER_NOT_FOUND"),
            (["localId": "ada", "email": "nonsense"], "400 INVALID_EMAIL"),
            (["localId": "ada", "email": "BOB@example.com"], "400 EMAIL_EXISTS"),
            (["localId": "ada", "password": "x"], "400 WEAK_PASSWORD : Password should be at least 6 characters"),
            (["localId": "ada", "phoneNumber": "5"], "400 INVALID_PHONE_NUMBER : Invalid format."),
            (["localId": "ada", "phoneNumber": "+15555550199"], "400 PHONE_NUMBER_EXISTS"),
            (["localId": "ada", "customAttributes": "[]"], "400 INVALID_CLAIMS"),
            (["localId": "ada", "customAttributes": "{\"a\":1e-17000}"], "400 INVALID_CLAIMS"),
            (["localId": "ada", "customAttributes": "{\"a\":[0E99999]}"], "400 INVALID_CLAIMS"),
            (["localId": "ada", "customAttributes": "{\"SUB\":1}"], "400 FORBIDDEN_CLAIM : SUB"),
            // U+017F, the long s (ſ), is "S" in upper case.
            (["localId": "ada", "customAttributes": "{\"\u{17F}ub\":1}"], "400 FORBIDDEN_CLAIM : \u{17F}ub"),
            (["localId": "ada", "customAttributes": "nonsense"], "400 INVALID_CLAIMS"),
            (["localId": "ada", "customAttributes": "{\"n\":1e400000}"], "400 INVALID_CLAIMS"),
            (["localId": "ada", "customAttributes": "{\"sub\":\"bob\"}"], "400 FORBIDDEN_CLAIM : sub"),
            (["localId": "ada", "linkProviderUserInfo": ["rawId": "x"]], "400 MISSING_PROVIDER_ID"),
            (["localId": "ada", "linkProviderUserInfo": ["providerId": "google.com"]], "400 MISSING_RAW_ID"),
            (
                ["localId": "ada", "linkProviderUserInfo": ["providerId": "password", "rawId": "x"]],
                "400 INVALID_PROVIDER_ID"
            ),
            (
                ["localId": "ada", "linkProviderUserInfo": ["providerId": "google.com", "rawId": "taken"]],
                "400 FEDERATED_USER_ID_ALREADY_LINKED"
            ),
            (["localId": "ada", "mfa": ["enrollments": [[:]]]], "400 INVALID_MFA_PHONE_NUMBER : Invalid format."),
            (["localId": "bob", "phoneNumber": "+15555550199", "email": "bob@example.com"], "200"),
        ] as [(JSON, String)])
    func refusals(body: JSON, expected: String) async throws {
        #expect(try await Self.withAdaAndBob().administerAccounts(":update", body).outcome == expected)
    }

    @Test("Custom claims have at most 1000 characters")
    func largeClaims() async throws {
        let gateway = try await Self.withAdaAndBob()
        // The text around the repeated letter has 9 characters.
        for (length, expected) in [(991, "200"), (992, "400 CLAIMS_TOO_LARGE")] {
            let claims = "{\"a\": \"\(String(repeating: "x", count: length))\"}"
            let answer = try await gateway.administerAccounts(
                ":update", ["localId": "ada", "customAttributes": .string(claims)])
            #expect(answer.outcome == expected)
        }
    }

    @Test(
        "Invalid values of validSince are rejected",
        arguments: ["-1", "253402300800", "9223372036854775807", "99999999999999999999", "1.5", "soon"])
    func badTimes(time: String) async throws {
        let answer = try await Self.withAdaAndBob().administerAccounts(
            ":update", ["localId": "ada", "validSince": .string(time)])
        #expect(answer.json["error"]?["status"] == "INVALID_ARGUMENT")
    }

    @Test(
        "validSince may be a minute ahead of the gateway's clock, and not more",
        arguments: [("1800000060", true), ("1800000061", false), ("1831536000", false)])
    func futureValidSince(time: String, isAccepted: Bool) async throws {
        let gateway = try await Self.withAdaAndBob()
        let before = try await gateway.accountSeenByAdmin("ada")
        let answer = try await gateway.administerAccounts(
            ":update", ["localId": "ada", "validSince": .string(time)])
        #expect(answer.json["error"]?["status"] == (isAccepted ? nil : "INVALID_ARGUMENT"), "\(answer.text)")
        let after = try await gateway.accountSeenByAdmin("ada")
        #expect(after["validSince"] == (isAccepted ? .string(time) : before["validSince"]))
    }

    @Test(
        "An update that affects sign-in ends the account's sessions; any other update keeps them",
        arguments: [
            (["disableUser": true], "400 USER_DISABLED"),
            (["password": "secret2"], "400 TOKEN_EXPIRED"),
            (["email": "lady@example.com"], "400 TOKEN_EXPIRED"),
            (["deleteAttribute": ["PASSWORD"]], "400 TOKEN_EXPIRED"),
            (["deleteAttribute": ["EMAIL"]], "400 TOKEN_EXPIRED"),
            (["validSince": "1"], "400 TOKEN_EXPIRED"),
            (["disableUser": false, "email": "Ada@example.com", "displayName": "Ada"], "200"),
            (["phoneNumber": "+15555550100", "customAttributes": "{}", "createdAt": "1"], "200"),
        ] as [([String: JSON], String)])
    func sessions(change: [String: JSON], expected: String) async throws {
        let gateway = try await Self.withAdaAndBob()
        let tokens = try TestGateway.Tokens(await gateway.signIn())
        gateway.clock.advance(by: .seconds(10))
        let body = JSON.object(change.merging(["localId": "ada"]) { first, _ in first })
        #expect(try await gateway.administerAccounts(":update", body).outcome == "200")
        #expect(try await gateway.lookup(tokens.idToken).outcome == expected)
        #expect(try await gateway.refresh(tokens.refreshToken).outcome == expected)
        _ = try await gateway.administerAccounts(":update", ["localId": "ada", "disableUser": false])
        let afterwards = expected == "200" ? "200" : "400 TOKEN_EXPIRED"
        #expect(try await gateway.refresh(tokens.refreshToken).outcome == afterwards)
    }

    @Test(
        "An update removes the listed attributes and providers, and members set to an empty text",
        arguments: [
            (["deleteAttribute": ["DISPLAY_NAME", "PHOTO_URL"], "displayName": "B"], ["displayName", "photoUrl"]),
            (["displayName": "", "photoUrl": ""], ["displayName", "photoUrl"]),
            (["deleteProvider": ["phone"]], ["phoneNumber"]),
            (["deleteProvider": ["password"]], ["email", "emailVerified", "passwordHash", "passwordUpdatedAt"]),
            (["deleteAttribute": ["EMAIL"]], ["email", "emailVerified"]),
            (["deleteAttribute": ["PASSWORD"]], ["passwordHash", "passwordUpdatedAt"]),
            (["deleteProvider": ["google.com", "apple.com"]], []),
        ] as [([String: JSON], Set<String>)])
    func removal(change: [String: JSON], removed: Set<String>) async throws {
        let gateway = try await Self.withAdaAndBob()
        _ = try await gateway.administerAccounts(
            ":update",
            [
                "localId": "ada", "displayName": "Ada", "photoUrl": "https://example.com/a.png",
                "phoneNumber": "+15555550100", "linkProviderUserInfo": ["providerId": "google.com", "rawId": "g1"],
            ])
        let before = try await gateway.accountSeenByAdmin("ada")
        let body = JSON.object(change.merging(["localId": "ada"]) { first, _ in first })
        #expect(try await gateway.administerAccounts(":update", body).outcome == "200")
        let after = try await gateway.accountSeenByAdmin("ada")
        #expect(before.keys.subtracting(after.keys) == removed)
        let google: JSON = ["federatedUserId": [["providerId": "google.com", "rawId": "g1"]]]
        let isLinked = try await gateway.administerAccounts(":lookup", google).json["users"] != nil
        #expect(isLinked == (change["deleteProvider"]?[0] != "google.com"))
    }

    @Test("A new address is unverified, the same address stays verified, and emailVerified needs an address")
    func verification() async throws {
        let gateway = try await Self.withAdaAndBob()
        _ = try await gateway.administerAccounts(":update", ["localId": "ada", "email": "ADA@example.com"])
        #expect(try await gateway.accountSeenByAdmin("ada")["emailVerified"] == true)
        _ = try await gateway.administerAccounts(":update", ["localId": "ada", "email": "lady@example.com"])
        #expect(try await gateway.accountSeenByAdmin("ada")["emailVerified"] == false)
        _ = try await gateway.administerAccounts(
            ":update", ["localId": "ada", "deleteAttribute": ["EMAIL"], "emailVerified": true])
        #expect(try await gateway.accountSeenByAdmin("ada")["emailVerified"] == nil)
    }

    @Test("An identity of another account is rejected, and the account of the request is unchanged")
    func takenIdentity() async throws {
        let gateway = try await Self.withAdaAndBob()
        let answer = try await gateway.administerAccounts(
            ":update",
            [
                "localId": "ada", "displayName": "Ada",
                "linkProviderUserInfo": ["providerId": "google.com", "rawId": "taken"],
            ])
        #expect(answer.outcome == "400 FEDERATED_USER_ID_ALREADY_LINKED")
        #expect(try await gateway.accountSeenByAdmin("ada")["displayName"] == nil)
    }

    @Test("A service key can update and delete accounts on paths that name no project")
    func unscoped() async throws {
        let gateway = try await Self.withAdaAndBob()
        let changed = try await gateway.administerAccountsWithoutProjectInPath(
            ":update", ["localId": "ada", "disableUser": true])
        #expect(changed.outcome == "200")
        #expect(try await gateway.accountSeenByAdmin("ada")["disabled"] == true)
        let deleted = try await gateway.administerAccountsWithoutProjectInPath(":delete", ["localId": "ada"])
        #expect(deleted.json == ["kind": "identitytoolkit#DeleteAccountResponse", "appleRevocation": "NONE"])
    }
}
