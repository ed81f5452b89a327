import HTTP
import Identity
import Synchronization
import Testing

@testable import Support

@Suite("Importing accounts", .serialized)
struct AdminImportTests {
    @Test("An import stores the members of each account, and the imported password signs in")
    func happyPath() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let users: JSON = [
            [
                "localId": "ada", "email": "Ada@example.com", "emailVerified": true, "rawPassword": "x",
                "displayName": "Ada", "photoUrl": "https://example.com/a.png", "phoneNumber": "+15555550100",
                "createdAt": "1700000000001", "lastLoginAt": 1_700_000_000_002, "validSince": "1700000003",
                "customAttributes": "{\"role\":\"editor\"}", "disabled": false,
                "providerUserInfo": [
                    ["providerId": "google.com", "rawId": "g1"], ["providerId": "google.com", "rawId": "g1"],
                    ["providerId": "password", "rawId": "other@example.com"], ["providerId": "phone", "rawId": "+1"],
                ],
            ], ["localId": "bob", "disabled": true],
        ]
        let answer = try await gateway.administerAccounts(":batchCreate", ["users": users])
        #expect(answer.json == ["kind": "identitytoolkit#UploadAccountResponse"])
        let ada = try await gateway.accountSeenByAdmin("ada")
        let expected: [String: JSON] = [
            "email": "ada@example.com", "emailVerified": true, "displayName": "Ada",
            "photoUrl": "https://example.com/a.png", "phoneNumber": "+15555550100", "createdAt": "1700000000001",
            "lastLoginAt": "1700000000002", "validSince": "1700000003", "disabled": false,
            "customAttributes": "{\"role\":\"editor\"}",
        ]
        for (member, value) in expected { #expect(ada[member] == value, "\(member)") }
        // Three: password, Google and phone. The repeated entry, and the entries for password and phone, add nothing.
        #expect(ada["providerUserInfo"]?[2] != nil && ada["providerUserInfo"]?[3] == nil)
        #expect(try await gateway.accountSeenByAdmin("bob")["disabled"] == true)
        #expect(try await gateway.signIn(password: "x").json["localId"] == "ada")
    }

    @Test(
        "An import reports invalid entries and stores the others",
        arguments: [
            ([:], "localId is missing"),
            (["localId": .string(String(repeating: "🥝", count: 65))], "localId is invalid"),
            (["localId": ["x"]], "/users/1/localId must be a string"),
            ("x", "/users/1 must be an object"),
            (["localId": "x", "tenantId": "t"], "Tenant id in userInfo does not match the tenant id in request."),
            (["localId": "x", "email": "nonsense"], "email is invalid"),
            (["localId": "x", "email": "ADA@example.com"], "email exists in other account in database"),
            (["localId": "x", "phoneNumber": "+15555550100"], "phone number exists in other account in database"),
            (
                ["localId": "x", "providerUserInfo": [["providerId": "google.com", "rawId": "g1"]]],
                "raw id exists in other account in database"
            ),
            (
                ["localId": "x", "providerUserInfo": [["providerId": "google.com"]]],
                "federatedId or (providerId & rawId) is required"
            ),
            (
                [
                    "localId": "x",
                    "providerUserInfo": .array(
                        ["g2", "g3"].map {
                            ["providerId": "google.com", "rawId": .string($0)]
                        }),
                ],
                "providerUserInfo has several identities of google.com, but an account can have only one"
            ),
            (["localId": "x", "phoneNumber": "5"], "phone number format is invalid"),
            (["localId": "x", "customAttributes": "[]"], "Invalid custom claims provided."),
            (
                ["localId": "x", "customAttributes": .string("{\"a\":\"\(String(repeating: "x", count: 1000))\"}")],
                "Custom claims provided are too large."
            ),
            (["localId": "x", "customAttributes": "{\"a\":1e-17000}"], "Invalid custom claims provided."),
            (["localId": "x", "mfaInfo": [[:]]], "Second factor not supported."),
            (
                ["localId": "x", "providerUserInfo": identities(33)],
                "providerUserInfo has more than 32 entries"
            ),
            (["localId": "x", "passwordHash": "aGFzaA"], "passwordHash needs a hashAlgorithm"),
            (["localId": "x", "createdAt": "-1"], "createdAt, lastLoginAt or validSince is invalid"),
            (["localId": "x", "validSince": "1800000061"], "validSince is in the future"),
            (["localId": "ada"], "localId belongs to an existing account - can not overwrite."),
        ] as [(JSON, String)])
    func entries(user: JSON, message: String) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada: JSON = [
            "localId": "ada", "email": "ada@example.com", "phoneNumber": "+15555550100",
            "providerUserInfo": [["providerId": "google.com", "rawId": "g1"]],
        ]
        _ = try await gateway.administerAccounts(":batchCreate", ["users": [ada]])
        let answer = try await gateway.administerAccounts(":batchCreate", ["users": [["localId": "good"], user]])
        #expect(answer.json["error"] == [["index": 1, "message": .string(message)]])
        let count = try await gateway.administerAccounts(":query", ["returnUserInfo": false])
        #expect(count.json == ["recordsCount": "2"])
    }

    @Test(
        "An import without allowOverwrite is rejected if it has no users, duplicate IDs or (with sanityCheck) other duplicates",
        arguments: [
            ([:], "400 MISSING_USER_ACCOUNT"),
            (["users": []], "400 MISSING_USER_ACCOUNT"),
            (["users": [["localId": "a"], ["localId": "a"]]], "400 DUPLICATE_LOCAL_ID : a"),
            (
                [
                    "sanityCheck": true,
                    "users": [["localId": "a", "email": "a@b.c"], ["localId": "b", "email": "A@b.c"]],
                ], "400 DUPLICATE_EMAIL : a@b.c"
            ),
            (
                [
                    "sanityCheck": true,
                    "users": [
                        ["localId": "a", "providerUserInfo": [["providerId": "p", "rawId": "r"]]],
                        ["localId": "b", "providerUserInfo": [["providerId": "p", "rawId": "r"]]],
                    ],
                ], "400 DUPLICATE_RAW_ID : Provider id(p), Raw id(r)"
            ),
        ] as [(JSON, String)])
    func requests(body: JSON, expected: String) async throws {
        let gateway = try await TestGateway.withServiceKey()
        #expect(try await gateway.administerAccounts(":batchCreate", body).outcome == expected)
        let count = try await gateway.administerAccounts(":query", ["returnUserInfo": false])
        #expect(count.json == ["recordsCount": "0"])
    }

    @Test(
        "An account is imported even if one of its members must be changed or left out, which the response reports",
        arguments: [
            ("displayName", "A\r\nB\u{2028}C\u{1}D", "A B C D", "line breaks in a name became spaces"),
            (
                "displayName", "a\n" + String(repeating: "é", count: 1023), "a " + String(repeating: "é", count: 1022),
                "a name was cut at 1024 characters; line breaks in a name became spaces"
            ),
            (
                "displayName", String(repeating: "é", count: 1022) + "👩\u{200D}👧", String(repeating: "é", count: 1022),
                "a name was cut at 1024 characters"
            ),
            ("displayName", String(repeating: "é", count: 1024), String(repeating: "é", count: 1024), nil),
            (
                "displayName", String(repeating: "🥝", count: 1025), String(repeating: "🥝", count: 1024),
                "a name was cut at 1024 characters"
            ),
            ("photoUrl", String(repeating: "p", count: 4096), String(repeating: "p", count: 4096), nil),
            (
                "photoUrl", String(repeating: "é", count: 2049), nil,
                "photoUrl was left out: it has more than 4096 bytes, or control characters"
            ),
            (
                "photoUrl", String(repeating: "p", count: 4097), nil,
                "photoUrl was left out: it has more than 4096 bytes, or control characters"
            ),
            ("email", "jo@BÜCHER.example", "jo@xn--bcher-kva.example", nil),
            ("email", "jö@example.com", nil, "email was left out: it has no ASCII form"),
            (
                "customAttributes", #"{"act":{},"Iss":1,"role":"x","sid":2}"#, #"{"role":"x"}"#,
                "custom claims with reserved names were left out: Iss, act, sid"
            ),
            (
                "customAttributes", #"{"sid":1}"#, nil, "custom claims with reserved names were left out: sid"
            ),
            ("phoneNumber", "+15555550100", "+15555550100", nil),
        ] as [(String, String, String?, String?)])
    func changes(member: String, value: String, stored: String?, change: String?) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let user: JSON = .object(["localId": "x", member: .string(value)])
        let answer = try await gateway.administerAccounts(":batchCreate", ["users": [user]])
        #expect(answer.json["error"] == nil)
        #expect(answer.json["changes"] == change.map { [["index": 0, "message": .string($0)]] })
        #expect(try await gateway.accountSeenByAdmin("x")[member]?.string == stored)
    }

    @Test(
        "Names with joiners between letters or emoji are imported unchanged, also those of identities",
        arguments: ["ناهید\u{200C}پور", "ශ්\u{200D}රී", "👩🏽\u{200D}👧\u{200D}👦", "🏴\u{E0067}\u{E0062}\u{E007F}"])
    func joiners(name: String) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let identity: JSON = ["providerId": "google.com", "rawId": "g1", "displayName": .string(name)]
        let user: JSON = ["localId": "x", "displayName": .string(name), "providerUserInfo": [identity]]
        let answer = try await gateway.administerAccounts(":batchCreate", ["users": [user]])
        #expect(answer.json["error"] == nil && answer.json["changes"] == nil)
        let account = try await gateway.accountSeenByAdmin("x")
        #expect(account["displayName"] == .string(name))
        #expect(account["providerUserInfo"]?[0]?["displayName"] == .string(name))
    }

    @Test("An account with the longest name, photo URL, ID and claims can sign in, and its tokens are accepted")
    func longest() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let user: JSON = [
            "localId": .string(String(repeating: "é", count: 128)), "email": "ada@example.com", "rawPassword": "x",
            "displayName": .string(String(repeating: "名", count: 1024)),
            "photoUrl": .string(String(repeating: "p", count: 4096)),
            "customAttributes": .string(#"{"a":"\#(String(repeating: "x", count: 990))"}"#),
        ]
        #expect(try await gateway.administerAccounts(":batchCreate", ["users": [user]]).json["error"] == nil)
        let idToken = try #require(try await gateway.signIn(password: "x").json["idToken"]?.string)
        let lookup = try await gateway.post("/v1/accounts:lookup", ["idToken": .string(idToken)])
        #expect(lookup.json["users"]?[0]?["localId"] == user["localId"])
    }

    @Test("An identity is imported without an address that is invalid or has no ASCII form, which is reported")
    func addressOfIdentity() async throws {
        let gateway = try await TestGateway.withServiceKey()
        for (email, stored) in [("jö@example.com", nil), ("x", nil), ("jo@bücher.example", "jo@xn--bcher-kva.example")]
        {
            let identity: JSON = ["providerId": "google.com", "rawId": "g1", "email": .string(email)]
            let user: JSON = ["localId": "x", "providerUserInfo": [identity]]
            let answer = try await gateway.administerAccounts(
                ":batchCreate", ["users": [user], "allowOverwrite": true])
            let change: JSON = "email of an identity was left out: it is invalid or has no ASCII form"
            #expect(answer.json["error"] == nil)
            #expect(answer.json["changes"] == (stored == nil ? [["index": 0, "message": change]] : nil))
            #expect(try await gateway.accountSeenByAdmin("x")["providerUserInfo"]?[0]?["email"]?.string == stored)
        }
    }

    @Test("An imported address with an internationalised domain signs in in either form")
    func internationalDomain() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let user: JSON = ["localId": "x", "email": "jo@bücher.example", "rawPassword": "x"]
        _ = try await gateway.administerAccounts(":batchCreate", ["users": [user]])
        for email in ["jo@bücher.example", "JO@Bücher.EXAMPLE", "jo@xn--bcher-kva.example"] {
            let answer = try await gateway.signIn(email: email, password: "x")
            #expect(answer.json["localId"] == "x" && answer.json["email"] == "jo@xn--bcher-kva.example")
        }
    }

    @Test(
        "An ID can contain any character except NUL, in imports, administration, custom tokens and paths",
        arguments: ["a/b", "a b", "é", "a\\b", "a\nb", ".", "..", "a:b", "%2F", String(repeating: "🥝", count: 64)])
    func anyID(id: String) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let identity: JSON = ["providerId": "google.com", "rawId": "g1"]
        let user: JSON = ["localId": .string(id), "providerUserInfo": [identity]]
        #expect(try await gateway.administerAccounts(":batchCreate", ["users": [user]]).json["error"] == nil)
        let encoded = id.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let answer = try await gateway.callProjectAsAdmin(.get, "/accounts/\(encoded)/identities")
        #expect(answer.json["identities"]?[0]?["rawId"] == "g1")
        #expect(try await gateway.administerAccounts(":delete", ["localId": .string(id)]).outcome == "200")
        #expect(try await gateway.createAccountAsAdmin(["localId": .string(id)]).outcome == "200")
        let token = try await ServiceKey(in: gateway).customToken(uid: id, at: gateway.clock.now)
        #expect(try await gateway.signIn(customToken: token).outcome == "200")
    }

    @Test("IDs and subjects are compared as bytes: two forms of one letter are two accounts")
    func bytes() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let users = ["\u{E9}", "e\u{301}"].map { id -> JSON in
            ["localId": .string(id), "providerUserInfo": [["providerId": "google.com", "rawId": .string(id)]]]
        }
        let answer = try await gateway.administerAccounts(
            ":batchCreate", ["users": .array(users), "sanityCheck": true])
        #expect(answer.json["error"] == nil)
        for id in ["\u{E9}", "e\u{301}"] {
            let identity = try await gateway.accountSeenByAdmin(id)["providerUserInfo"]?[0]
            #expect(identity?["rawId"]?.string.map { Array($0.utf8) } == Array(id.utf8))
        }
    }

    static func identities(_ count: Int) -> JSON {
        .array((0..<count).map { ["providerId": "google.com", "rawId": .string("r\($0)")] })
    }

    static func withPasswords(_ count: Int) -> JSON {
        ["users": .array((0..<count).map { ["localId": .string("u\($0)"), "rawPassword": "secret1"] })]
    }

    @Test("One import hashes at most 100 passwords", arguments: [(100, 100), (101, 0)])
    func passwords(count: Int, hashes: Int) async throws {
        let hashed = Mutex(0)
        let gateway = try await TestGateway(
            passwords: PasswordHasher(
                hash: { _, _ in
                    hashed.withLock { $0 += 1 }
                    return "hash"
                }, check: { _, _, _ in .wrong }))
        try await gateway.makeServiceKey()
        let answer = try await gateway.administerAccounts(":batchCreate", Self.withPasswords(count))
        let refusal =
            "400 Invalid JSON payload received. /users must not have more than 100 items with rawPassword"
        #expect(answer.outcome == (hashes > 0 ? "200" : refusal))
        #expect(hashed.withLock { $0 } == hashes)
    }

    @Test("An import stores the first of two entries with the same address")
    func twice() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let answer = try await gateway.administerAccounts(
            ":batchCreate", ["users": [["localId": "a", "email": "a@b.c"], ["localId": "b", "email": "A@b.c"]]])
        #expect(
            answer.json["error"] == [["index": 1, "message": "email exists in other account in database"]])
        #expect(try await gateway.accountSeenByAdmin("a")["email"] == "a@b.c")
    }

    @Test("An import that overwrites an account ends its sessions; of two entries with one ID, the last is stored")
    func overwriting() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let user: JSON = [
            "localId": "ada", "email": "ada@example.com", "rawPassword": "secret1", "displayName": "Ada",
            "providerUserInfo": [["providerId": "google.com", "rawId": "g1"]],
        ]
        _ = try await gateway.administerAccounts(":batchCreate", ["users": [user]])
        let tokens = try TestGateway.Tokens(await gateway.signIn())
        let answer = try await gateway.administerAccounts(
            ":batchCreate",
            [
                "allowOverwrite": true,
                "users": [["localId": "ada", "email": "first@b.c"], ["localId": "ada", "email": "a@b.c"]],
            ])
        #expect(answer.json["error"] == nil)
        let ada = try await gateway.accountSeenByAdmin("ada")
        #expect(ada.keys == ["localId", "email", "emailVerified", "disabled", "validSince", "createdAt"])
        #expect(ada["email"] == "a@b.c")
        #expect(try await gateway.lookup(tokens.idToken).outcome == "400 TOKEN_EXPIRED")
    }

    @Test("An import accepts at most 1000 accounts")
    func thousand() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let users = (0..<1001).map { index -> JSON in
            [
                "localId": .string("user\(index)"), "email": .string("user\(index)@example.com"),
                "providerUserInfo": [["providerId": "google.com", "rawId": .string("g\(index)")]],
            ]
        }
        let refused = try await gateway.administerAccounts(":batchCreate", ["users": .array(users)])
        #expect(refused.outcome == "400 MAXIMUM_USER_COUNT_EXCEEDED")
        let accepted = try await gateway.administerAccounts(":batchCreate", ["users": .array(Array(users.dropLast()))])
        #expect(accepted.json["error"] == nil)
        // A page has at most 1000 accounts.
        let page = try await gateway.batchGet([("maxResults", "5000")])
        #expect(page.json["users"]?[999] != nil && page.json["nextPageToken"] == "user999")
    }

    @Test("Concurrent imports of the same addresses store one account for each address")
    func race() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let answers = try await concurrently(8) { number in
            let users = (0..<20).map { index -> JSON in
                ["localId": .string("r\(number)u\(index)"), "email": .string("user\(index)@example.com")]
            }
            return try await gateway.administerAccounts(
                ":batchCreate", ["users": .array(number.isMultiple(of: 2) ? users : users.reversed())])
        }
        #expect(answers.allSatisfy { $0.status == 200 })
        let count = try await gateway.administerAccounts(":query", ["returnUserInfo": false])
        #expect(count.json == ["recordsCount": "20"])
    }
}
