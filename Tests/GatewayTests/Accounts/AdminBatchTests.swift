import HTTP
import Testing

@testable import Support

@Suite("Batches of accounts", .serialized)
struct AdminBatchTests {
    /// A gateway with a service key, and with accounts that have only an ID.
    static func withAccounts(ids: [String]) async throws -> TestGateway {
        let gateway = try await TestGateway.withServiceKey()
        try await gateway.makeAccounts(ids)
        return gateway
    }

    @Test("Batch deletion skips unknown IDs, and reports enabled accounts as errors unless it is forced")
    func batchDelete() async throws {
        let gateway = try await Self.withAccounts(ids: ["ada", "bob"])
        _ = try await gateway.administerAccounts(":update", ["localId": "ada", "disableUser": true])
        let body: JSON = ["localIds": ["ada", "nobody", "bob", "bob"]]
        let message = "NOT_DISABLED : Disable the account before batch deletion."
        let partial = try await gateway.administerAccounts(":batchDelete", body)
        let expected = [2, 3].map { index -> JSON in
            ["index": .number(Double(index)), "localId": "bob", "message": .string(message)]
        }
        #expect(partial.json == ["errors": .array(expected)])
        let forced = try await gateway.administerAccounts(":batchDelete", ["localIds": ["ada", "bob"], "force": true])
        #expect(forced.json == [:])
        #expect(try await gateway.administerAccounts(":query", ["returnUserInfo": false]).json == ["recordsCount": "0"])
        // The ID of a deleted account can be reused.
        #expect(try await gateway.createAccountAsAdmin(["localId": "bob"]).outcome == "200")
        #expect(try await gateway.administerAccounts(":delete", ["localId": "bob"]).outcome == "200")
    }

    @Test("Batch deletion accepts 1 to 1000 IDs", arguments: [(0, false), (1, true), (1000, true), (1001, false)])
    func batchDeleteLimit(count: Int, isAccepted: Bool) async throws {
        let ids = JSON.array((0..<count).map { .string("a\($0)") })
        let answer = try await TestGateway.withServiceKey().administerAccounts(":batchDelete", ["localIds": ids])
        #expect(answer.outcome == (isAccepted ? "200" : "400 LOCAL_ID_LIST_EXCEEDS_LIMIT"))
    }

    @Test(
        "Deletion rejects a request without an ID or with an unknown ID",
        arguments: [([:], "400 MISSING_LOCAL_ID"), (["localId": "x"], "400 USER_NOT_FOUND")] as [(JSON, String)])
    func deletion(body: JSON, expected: String) async throws {
        #expect(try await TestGateway.withServiceKey().administerAccounts(":delete", body).outcome == expected)
    }

    @Test("Pages of accounts are ordered by ID, and a full page has a token even if nothing follows")
    func pages() async throws {
        let gateway = try await Self.withAccounts(ids: ["d", "a", "c", "b"])
        let first = try await gateway.batchGet([("maxResults", "2")])
        #expect(first.json.keys == ["kind", "users", "nextPageToken"])
        #expect(first.json["kind"] == "identitytoolkit#DownloadAccountResponse")
        #expect(first.accountIDs == ["a", "b"])
        let second = try await gateway.batchGet([("maxResults", "2"), ("nextPageToken", "b")])
        #expect(second.accountIDs == ["c", "d"])
        #expect(second.json["nextPageToken"] == "d")
        let third = try await gateway.batchGet([("maxResults", "2"), ("nextPageToken", "d")])
        #expect(third.json == ["kind": "identitytoolkit#DownloadAccountResponse", "users": []])
        #expect(try await gateway.batchGet().json.keys == ["kind", "users"])
    }

    @Test(
        "A page token can contain slashes, spaces, control characters and non-ASCII characters",
        arguments: ["a/b", "é é", "a\u{1}"])
    func anyID(id: String) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let backend = try await ServiceKey(in: gateway)
        let token = try backend.customToken(uid: id, at: gateway.clock.now)
        #expect(try await gateway.signIn(customToken: token).outcome == "200")
        let first = try await gateway.batchGet([("maxResults", "1")])
        let next = try #require(first.json["nextPageToken"]?.string)
        #expect(next == id)
        #expect(try await gateway.batchGet([("nextPageToken", next)]).accountIDs == [])
    }

    @Test(
        "Invalid page sizes and page tokens, unknown tenants, and other projects are rejected",
        arguments: [
            (("maxResults", "-1"), "INVALID_ARGUMENT"), (("maxResults", "x"), "INVALID_ARGUMENT"),
            (("tenantId", "t"), "NOT_FOUND"), (("targetProjectId", "other"), "PERMISSION_DENIED"),
        ])
    func badPages(query: (String, String), status: String) async throws {
        let gateway = try await TestGateway.withServiceKey()
        #expect(try await gateway.batchGet([query]).json["error"]?["status"] == .string(status))
        for token in ["\0", "a\0b", String(repeating: "a", count: 129)] {
            #expect(try await gateway.batchGet([("nextPageToken", token)]).outcome == "400 INVALID_PAGE_SELECTION")
        }
    }

    @Test("Paging returns each permanent account exactly once while others are created and deleted")
    func stablePages() async throws {
        let permanent = (0..<60).map { "stays\($0 + 100)" }
        let gateway = try await Self.withAccounts(ids: permanent)
        async let writing: Void = {
            for round in 0..<15 {
                // IDs before, between and after the permanent ones. The account before them is not deleted.
                let temporary = ["a\(round)", "stays\(100 + round)x", "z\(round)"]
                try await gateway.makeAccounts(temporary)
                _ = try await gateway.administerAccounts(
                    ":batchDelete", ["localIds": .array(temporary.dropFirst().map { .string($0) }), "force": true])
            }
        }()
        for _ in 0..<3 {
            var listed: [String] = []
            var token: String?
            repeat {
                let page = try await gateway.batchGet(
                    [("maxResults", "7")] + (token.map { [("nextPageToken", $0)] } ?? []))
                listed += page.accountIDs
                token = page.json["nextPageToken"]?.string
            } while token != nil
            #expect(listed.filter(permanent.contains) == permanent)
            #expect(Set(listed).count == listed.count)
        }
        try await writing
    }

    @Test(
        "A query counts accounts, or lists a page of them in ascending or descending order of their IDs",
        arguments: [
            (["returnUserInfo": false], "3", nil),
            ([:], "3", ["a", "b", "c"]),
            (["order": "DESC", "sortBy": "USER_ID"], "3", ["c", "b", "a"]),
            (["limit": "2", "order": "ASC"], "2", ["a", "b"]),
            (["limit": "2", "offset": "1"], "2", ["b", "c"]),
            (["offset": 2, "order": "DESC"], "1", ["a"]),
            (["offset": "100000"], "0", []),
        ] as [(JSON, String, [String]?)])
    func query(body: JSON, count: String, ids: [String]?) async throws {
        let gateway = try await Self.withAccounts(ids: ["b", "c", "a"])
        for path in ["/accounts:query", ":queryAccounts"] {
            let answer = try await gateway.send(
                .post, "/v1/projects/demo\(path)", body: try body.bytes, query: [],
                headers: ["Authorization": "Bearer \(TestGateway.serviceKeySecret)"])
            #expect(answer.json["recordsCount"] == .string(count))
            #expect(answer.json["userInfo"] == nil ? ids == nil : answer.accountIDs == ids)
        }
    }

    @Test(
        "A query rejects an unknown sort member, and limits and offsets out of range",
        arguments: [
            (
                ["sortBy": "AGE"],
                "400 Invalid JSON payload received. /sortBy must be equal to one of the allowed values: SORT_BY_FIELD_UNSPECIFIED, USER_ID, NAME, CREATED_AT, LAST_LOGIN_AT, USER_EMAIL"
            ),
            (["limit": "501"], "400 Invalid JSON payload received. /limit must be 1 to 500"),
            (["offset": "100001"], "400 Invalid JSON payload received. /offset must be 0 to 100000"),
            (["offset": "-1"], "400 Invalid JSON payload received. /offset must be 0 to 100000"),
        ] as [(JSON, String)])
    func refusedQueries(body: JSON, expected: String) async throws {
        #expect(try await TestGateway.withServiceKey().administerAccounts(":query", body).outcome == expected)
    }
}
