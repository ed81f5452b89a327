import Encoding
import HTTP
import Testing

@testable import Support

@Suite("Querying accounts", .serialized)
struct AccountQueryTests {
    /// A gateway with four accounts. Only `a` and `d` have a last login time.
    private static func populated() async throws -> TestGateway {
        let gateway = try await TestGateway.withServiceKey()
        let drafts: [JSON] = [
            ["localId": "c", "email": "zoe@example.com", "displayName": "Bob"],
            ["localId": "a", "displayName": "Carol", "phoneNumber": "+15555550100"],
            ["localId": "d", "email": "ann@example.com"],
            ["localId": "b", "displayName": "Ada"],
        ]
        // The accounts are created in this order, one second apart.
        for (draft, lastLogin) in zip(drafts, [nil, "1800000300000", "1800000200000", nil] as [JSON?]) {
            try await gateway.makeAccount(draft, updating: lastLogin.map { ["lastLoginAt": $0] } ?? [:])
            gateway.clock.advance(by: .seconds(1))
        }
        return gateway
    }

    private static let sortings: [(JSON, [String])] = [
        (["sortBy": "USER_ID"], ["a", "b", "c", "d"]),
        (["sortBy": "USER_EMAIL"], ["d", "c", "a", "b"]),
        (["sortBy": "USER_EMAIL", "order": "DESC"], ["c", "d", "b", "a"]),
        (["sortBy": "CREATED_AT"], ["c", "a", "d", "b"]),
        (["sortBy": "CREATED_AT", "order": "DESC"], ["b", "d", "a", "c"]),
        (["sortBy": "NAME"], ["b", "c", "a", "d"]),
        (["sortBy": "NAME", "order": "DESC"], ["a", "c", "b", "d"]),
        (["sortBy": "LAST_LOGIN_AT"], ["d", "a", "b", "c"]),
        (["sortBy": "LAST_LOGIN_AT", "order": "DESC"], ["a", "d", "c", "b"]),
        // 3 is `CREATED_AT` in Firebase's enumeration.
        (["sortBy": 3], ["c", "a", "d", "b"]),
    ]

    @Test(
        "A query sorts by the requested member, lists accounts without that member last, and keeps the order across pages",
        arguments: sortings)
    func sorted(input: JSON, expected: [String]) async throws {
        let gateway = try await Self.populated()
        #expect(try await gateway.administerAccounts(":query", input).accountIDs == expected)
        guard case .object(let members) = input else { return }
        var listed: [String] = []
        for offset in 0..<5 {
            let page = members.merging(["limit": "1", "offset": .string(String(offset))]) { $1 }
            listed += try await gateway.administerAccounts(":query", .object(page)).accountIDs
        }
        #expect(listed == expected)
        let middle = members.merging(["limit": "2", "offset": "1"]) { $1 }
        #expect(try await gateway.administerAccounts(":query", .object(middle)).accountIDs == Array(expected[1...2]))
    }

    @Test(
        "A query uses only the first expression, in which an address takes precedence over an ID",
        arguments: [
            (["expression": [["email": "Zoe@Example.com"]]], ["c"]),
            (["expression": [["phoneNumber": "+15555550100"]]], ["a"]),
            (["expression": [["userId": "d"]]], ["d"]),
            (["expression": [["userId": "d", "email": "zoe@example.com"]]], ["c"]),
            (["expression": [["userId": "d"], ["userId": "a"]]], ["d"]),
            (["expression": [["email": "nobody@example.com"]]], []),
            (["expression": [["email": "zoe"]]], []),
            (["expression": [["phoneNumber": "5555550100"]]], []),
            (["expression": [["userId": "A"]]], []),
            (["expression": [["userId": "a%"]]], []),
            (["expression": [["userId": "d"]], "offset": "1"], []),
            (["expression": [[:]]], ["a", "b", "c", "d"]),
            (["expression": []], ["a", "b", "c", "d"]),
        ] as [(JSON, [String])])
    func expression(input: JSON, expected: [String]) async throws {
        let gateway = try await Self.populated()
        let answer = try await gateway.administerAccounts(":query", input)
        #expect(answer.accountIDs == expected, "\(answer.text)")
        #expect(answer.json["recordsCount"]?.string == String(expected.count))
        guard case .object(let members) = input, members["offset"] == nil else { return }
        let counted = try await gateway.administerAccounts(
            ":query", .object(members.merging(["returnUserInfo": false]) { $1 }))
        #expect(counted.json == ["recordsCount": .string(String(expected.count))])
    }

    private static func search(
        _ gateway: TestGateway, _ query: [(name: String, value: String)], bearer: String = TestGateway.serviceKeySecret
    ) async throws -> Exchange {
        try await gateway.callProjectAsAdmin(.get, "/accounts:search", query: query, bearer: bearer)
    }

    @Test(
        "A search finds accounts by address, by phone number, or by a case-sensitive prefix of the ID",
        arguments: [
            ("ada", ["ada", "ada-2", "ada@example.com", "adab"]), ("Ada", ["Ada"]), ("ada-", ["ada-2"]),
            ("ada@example.com", ["bob", "ada@example.com"]), ("ADA@EXAMPLE.COM", ["bob"]),
            ("+15555550100", ["+", "+15555550100x"]), ("+", ["+", "+15555550100x"]), ("%", []), ("a_a", []),
            ("z", ["z\u{10FFFF}"]), ("z\u{10FFFF}", ["z\u{10FFFF}"]), ("é", ["éa"]), ("'", []), ("nobody", []),
            (String(repeating: "a", count: 129), []),
        ])
    func search(text: String, expected: [String]) async throws {
        let gateway = try await TestGateway.withServiceKey()
        for id in ["ada", "Ada", "adab", "ada-2", "ada@example.com", "+15555550100x", "b"] {
            try await gateway.makeAccount(["localId": .string(id)])
        }
        try await gateway.makeAccount(["localId": "bob", "email": "ada@example.com"])
        try await gateway.makeAccount(["localId": "+", "phoneNumber": "+15555550100"])
        // Only custom tokens create accounts with IDs that are not ASCII.
        let backend = try await ServiceKey(in: gateway)
        for id in ["z\u{10FFFF}", "éa"] {
            let token = try backend.customToken(uid: id, at: gateway.clock.now)
            #expect(try await gateway.signIn(customToken: token).outcome == "200")
        }
        let answer = try await Self.search(gateway, [("q", text)])
        #expect(answer.accountIDs == expected, "\(answer.text)")
        #expect(answer.json["nextPageToken"] == nil)
    }

    @Test("A search finds accounts by an identity, by the address of an identity, and by the beginning of a name")
    func otherTexts() async throws {
        let gateway = try await TestGateway.withServiceKey()
        for (id, name) in [("x1", "Ada"), ("x2", "ADAM"), ("x3", "Bad"), ("ada", "Ada Lovelace")] {
            try await gateway.makeAccount(["localId": .string(id), "displayName": .string(name)])
        }
        let identity: JSON = ["providerId": "google.com", "rawId": "a:b", "email": "ada@example.com"]
        let linked = try await gateway.callProjectAsAdmin(.post, "/accounts/x3/identities", identity)
        #expect(linked.status == 200, "\(linked.text)")
        for (text, expected) in [
            ("aDA", ["x1", "ada", "x2"]), ("ada", ["ada", "x1", "x2"]), ("ada l", ["ada"]),
            ("google.com:a:b", ["x3"]), ("google.com:a", []), ("ada@example.com", ["x3"]),
        ] {
            let answer = try await Self.search(gateway, [("q", text)])
            #expect(answer.accountIDs == expected, "\(text): \(answer.text)")
        }
        var listed: [String] = []
        var token: String?
        repeat {
            let page = try await Self.search(
                gateway, [("q", "ada"), ("maxResults", "1")] + (token.map { [("nextPageToken", $0)] } ?? []))
            listed += page.accountIDs
            token = page.json["nextPageToken"]?.string
        } while token != nil
        #expect(listed == ["ada", "x1", "x2"])
    }

    @Test("A filter lists disabled accounts, and guests without those that have an identity")
    func filters() async throws {
        let gateway = try await TestGateway.withServiceKey()
        for id in ["a", "b", "c"] {
            try await gateway.makeAccount(["localId": .string(id)])
            gateway.clock.advance(by: .seconds(1))
        }
        try await gateway.makeAccount(["localId": "d", "email": "d@example.com"])
        _ = try await gateway.administerAccounts(":update", ["localId": "b", "disableUser": true])
        let identity: JSON = ["providerId": "google.com", "rawId": "1"]
        #expect(try await gateway.callProjectAsAdmin(.post, "/accounts/c/identities", identity).status == 200)
        for (query, expected) in [
            ([("filter", "DISABLED")], ["b"]), ([("filter", "GUEST")], ["a", "b"]),
            ([("filter", "GUEST"), ("sortBy", "CREATED_AT"), ("order", "DESC")], ["b", "a"]),
            ([("filter", "RELAY_STOPPED")], []), ([], ["a", "b", "c", "d"]),
            ([("sortBy", "CREATED_AT"), ("order", "DESC")], ["d", "c", "b", "a"]),
            ([("sortBy", "USER_EMAIL")], ["d", "a", "b", "c"]),
        ] as [([(name: String, value: String)], [String])] {
            let answer = try await Self.search(gateway, query)
            #expect(answer.accountIDs == expected, "\(query): \(answer.text)")
        }
    }

    @Test("A page token of another list is rejected")
    func foreignToken() async throws {
        let gateway = try await Self.populated()
        let page = try await Self.search(gateway, [("sortBy", "CREATED_AT"), ("maxResults", "2")])
        let token = try #require(page.json["nextPageToken"]?.string)
        for sortKey in ["USER_ID", "USER_EMAIL", "NAME"] {
            let answer = try await Self.search(gateway, [("sortBy", sortKey), ("nextPageToken", token)])
            #expect(answer.outcome == "400 INVALID_PAGE_SELECTION")
        }
    }

    @Test("A page token of the list by address is not one of the list by name, nor of the reverse order")
    func tokenOfOtherList() async throws {
        let gateway = try await Self.populated()
        let page = try await Self.search(gateway, [("sortBy", "USER_EMAIL"), ("maxResults", "2")])
        let token = try #require(page.json["nextPageToken"]?.string)
        for query in [[("sortBy", "NAME")], [("sortBy", "USER_EMAIL"), ("order", "DESC")]] {
            let answer = try await Self.search(gateway, query + [("nextPageToken", token)])
            #expect(answer.outcome == "400 INVALID_PAGE_SELECTION", "\(query) \(answer.text)")
        }
    }

    @Test(
        "A page token contains no address and no name in plain text, and is valid for a day in its project",
        arguments: [("USER_EMAIL", ["d", "c", "a", "b"]), ("NAME", ["b", "c", "a", "d"])])
    func sealedToken(sortKey: String, expected: [String]) async throws {
        let gateway = try await Self.populated()
        let query = [(name: "sortBy", value: sortKey), (name: "maxResults", value: "1")]
        let token = try #require(try await Self.search(gateway, query).json["nextPageToken"]?.string)
        let bytes = try #require(Base64URL.decode(token))
        for text in ["ann", "example", "Ada"] { #expect(bytes.firstRange(of: Array(text.utf8)) == nil) }
        let next = query + [(name: "nextPageToken", value: token)]
        #expect(try await Self.search(gateway, next).accountIDs == [expected[1]])
        try await gateway.makeOtherProject(serviceKey: "sks_other")
        let foreign = try await gateway.callProjectAsAdmin(
            .get, "/accounts:search", query: next, in: "other", bearer: "sks_other")
        #expect(foreign.outcome == "400 INVALID_PAGE_SELECTION")
        gateway.clock.advance(by: .seconds(24 * 3600))
        #expect(try await Self.search(gateway, next).outcome == "400 INVALID_PAGE_SELECTION")
    }

    @Test("Paging through a search returns each permanent account once while others are created and deleted")
    func pages() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let permanent = (100..<160).map { "stays\($0)" }
        try await gateway.makeAccounts(permanent + ["other"])
        async let writing: Void = {
            for round in 0..<10 {
                // An ID that the search does not find, one between the permanent IDs, and one after them.
                let temporary = ["stay\(round)", "stays\(100 + round)x", "stays\(160 + round)"]
                try await gateway.makeAccounts(temporary)
                _ = try await gateway.administerAccounts(
                    ":batchDelete", ["localIds": .array(temporary.map { .string($0) }), "force": true])
            }
        }()
        for _ in 0..<3 {
            var listed: [String] = []
            var token: String?
            repeat {
                let page = try await Self.search(
                    gateway, [("q", "stays"), ("maxResults", "7")] + (token.map { [("nextPageToken", $0)] } ?? []))
                listed += page.accountIDs
                token = page.json["nextPageToken"]?.string
            } while token != nil
            #expect(listed.filter(permanent.contains) == permanent)
            #expect(Set(listed).count == listed.count)
        }
        try await writing
    }

    @Test(
        "A search rejects invalid texts, page sizes and page tokens, unknown tenants, and other projects",
        arguments: [
            ([("q", "a"), ("filter", "GUEST")], "INVALID_ARGUMENT"), ([("filter", "ALL")], "INVALID_ARGUMENT"),
            ([("q", "a"), ("sortBy", "NAME")], "INVALID_ARGUMENT"),
            ([("q", "a"), ("order", "DESC")], "INVALID_ARGUMENT"),
            ([("filter", "DISABLED"), ("sortBy", "USER_EMAIL")], "INVALID_ARGUMENT"),
            ([("filter", "RELAY_STOPPED"), ("order", "DESC")], "INVALID_ARGUMENT"),
            ([("filter", "GUEST"), ("realUserStatus", "UNKNOWN")], "INVALID_ARGUMENT"),
            ([("sortBy", "LAST_LOGIN_AT")], "INVALID_ARGUMENT"), ([("q", "a\u{1}")], "INVALID_ARGUMENT"),
            ([("q", String(repeating: "a", count: 255))], "INVALID_ARGUMENT"),
            ([("q", "a"), ("maxResults", "0")], "INVALID_ARGUMENT"),
            ([("q", "a"), ("maxResults", "101")], "INVALID_ARGUMENT"),
            ([("q", "a"), ("maxResults", "x")], "INVALID_ARGUMENT"),
            ([("q", "a"), ("tenantId", "t")], "NOT_FOUND"),
            ([("q", "a"), ("targetProjectId", "other")], "PERMISSION_DENIED"),
        ] as [([(name: String, value: String)], String)])
    func refused(query: [(name: String, value: String)], status: String) async throws {
        let gateway = try await TestGateway.withServiceKey()
        #expect(try await Self.search(gateway, query).json["error"]?["status"]?.string == status)
        let longToken = String(repeating: "a", count: 129)
        let answer = try await Self.search(gateway, [("q", "a"), ("nextPageToken", longToken)])
        #expect(answer.outcome == "400 INVALID_PAGE_SELECTION")
    }

    @Test("A service key cannot search another project, and finds none of that project's accounts in its own project")
    func otherProject() async throws {
        let gateway = try await Self.populated()
        try await gateway.makeOtherProject(serviceKey: "sks_other")
        #expect(try await Self.search(gateway, [("q", "a")], bearer: "sks_other").status == 403)
        for text in ["a", "zoe@example.com", "+15555550100"] {
            let answer = try await gateway.callProjectAsAdmin(
                .get, "/accounts:search", query: [("q", text)], in: "other", bearer: "sks_other")
            #expect(answer.json == ["kind": "sekisho#SearchAccountsResponse", "users": []])
        }
        for input in [["expression": [["userId": "a"]]], ["sortBy": "CREATED_AT"]] as [JSON] {
            let answer = try await gateway.administerAccounts(":query", input, in: "other", bearer: "sks_other")
            #expect(answer.accountIDs == [])
        }
    }
}
