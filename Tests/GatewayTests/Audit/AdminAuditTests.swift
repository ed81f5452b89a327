import HTTP
import Identity
import Postgres
import Testing

@testable import Support

@Suite("The audit trail of administrators")
struct AdminAuditTests {
    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let operation: String
        let body: JSON
        /// The expected events: action, subject and detail.
        let events: [String]
    }

    static let rows: [Row] = [
        Row(
            testDescription: "a created account", operation: "", body: ["localId": "eve", "email": "eve@example.com"],
            events: ["account.created eve"]),
        Row(testDescription: "an account that already exists", operation: "", body: ["localId": "ada"], events: []),
        Row(
            testDescription: "a name, claims and disabling", operation: ":update",
            body: ["localId": "ada", "displayName": "Ada", "disableUser": true, "customAttributes": "{\"a\":1}"],
            events: ["account.disabled ada", "account.updated ada fields=displayName customAttributes"]),
        Row(
            testDescription: "address and password", operation: ":update",
            body: ["localId": "ada", "email": "lady@example.com", "password": "secret2", "emailVerified": true],
            events: ["account.updated ada fields=email emailVerified password"]),
        Row(
            testDescription: "an identity that replaces another", operation: ":update",
            body: ["localId": "bob", "linkProviderUserInfo": ["providerId": "google.com", "rawId": "2"]],
            events: ["identity.linked bob provider=google.com", "identity.unlinked bob provider=google.com"]),
        Row(
            testDescription: "an identity that the account has already", operation: ":update",
            body: ["localId": "bob", "linkProviderUserInfo": ["providerId": "google.com", "rawId": "1"]],
            events: ["account.updated bob fields=linkProviderUserInfo"]),
        Row(
            testDescription: "an unlinked identity, and one that does not exist", operation: ":update",
            body: ["localId": "bob", "deleteProvider": ["google.com", "apple.com"]],
            events: ["identity.unlinked bob provider=google.com"]),
        Row(testDescription: "no change", operation: ":update", body: ["localId": "ada"], events: []),
        Row(
            testDescription: "a taken address", operation: ":update",
            body: ["localId": "bob", "email": "ada@example.com"], events: []),
        Row(
            testDescription: "a deletion", operation: ":delete", body: ["localId": "ada"],
            events: ["account.deleted ada"]),
        Row(
            testDescription: "the deletion of an unknown account", operation: ":delete", body: ["localId": "nobody"],
            events: []),
        Row(
            testDescription: "several deletions", operation: ":batchDelete",
            body: ["localIds": ["bob", "nobody", "ada"], "force": true],
            events: ["account.deleted ada", "account.deleted bob"]),
        Row(
            testDescription: "a batch deletion of enabled accounts", operation: ":batchDelete",
            body: ["localIds": ["ada", "bob"]], events: []),
        Row(
            testDescription: "an import", operation: ":batchCreate",
            body: ["users": [["localId": "mallory"], ["localId": "eve"], ["localId": "ada"]]],
            events: ["accounts.imported demo accounts=eve mallory count=2"]),
        Row(
            testDescription: "an import that overwrites an account", operation: ":batchCreate",
            body: ["users": [["localId": "eve"], ["localId": "ada"]], "allowOverwrite": true],
            events: ["account.updated ada method=import", "accounts.imported demo accounts=ada eve count=2"]),
        Row(
            testDescription: "a link in the response", operation: ":sendOobCode",
            body: ["requestType": "PASSWORD_RESET", "email": "ada@example.com", "returnOobLink": true],
            events: ["code.issued ada linkReturned=true requestType=PASSWORD_RESET"]),
        Row(
            testDescription: "an emailed link", operation: ":sendOobCode",
            body: ["requestType": "VERIFY_EMAIL", "email": "ada@example.com"],
            events: ["code.issued ada linkReturned=false requestType=VERIFY_EMAIL"]),
        Row(
            testDescription: "a link for an address without an account", operation: ":sendOobCode",
            body: ["requestType": "EMAIL_SIGNIN", "email": "new@example.com", "returnOobLink": true],
            events: ["code.issued demo linkReturned=true requestType=EMAIL_SIGNIN"]),
        Row(testDescription: "a look-up", operation: ":lookup", body: ["localId": ["ada"]], events: []),
        Row(testDescription: "a count", operation: ":query", body: ["returnUserInfo": false], events: []),
    ]

    /// A gateway with Ada, who has a password, and Bob, who has a Google identity.
    static func gatewayWithAdaAndBob() async throws -> TestGateway {
        let gateway = try await TestGateway.withServiceKey()
        try await populate(gateway)
        return gateway
    }

    /// Creates the accounts of ``gatewayWithAdaAndBob()``.
    static func populate(_ gateway: TestGateway) async throws {
        let users: JSON = [
            ["localId": "ada", "email": "ada@example.com", "rawPassword": "secret1"],
            ["localId": "bob", "providerUserInfo": [["providerId": "google.com", "rawId": "1"]]],
        ]
        #expect(try await gateway.administerAccounts(":batchCreate", ["users": users]).json["error"] == nil)
    }

    @Test(
        "A change is recorded with action, service key, account, network and request ID; a look-up is not recorded",
        arguments: rows)
    func recordedChanges(row: Row) async throws {
        let gateway = try await Self.gatewayWithAdaAndBob()
        let events = try await gateway.newAuditEvents {
            _ = try await gateway.administerAccounts(row.operation, row.body)
        }
        #expect(events.map(\.description) == row.events.map { "key:service " + $0 })
        for event in events {
            #expect(event.network == "192.0.2.0/24")
            #expect(event.requestID == "0", "the ID of the test's request")
        }
    }

    @Test("The event of an import lists at most a hundred account IDs, and counts all imported accounts")
    func many() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let users = (0..<150).map { JSON.object(["localId": .string("user-\($0 + 100)")]) }
        _ = try await gateway.administerAccounts(":batchCreate", ["users": .array(users)])
        let event = try #require(try await gateway.auditTrail().first)
        #expect(event.detail["count"] == "150")
        #expect(event.detail["accounts"]?.split(separator: " ").count == AuditNote.idLimit)
    }

    @Test("The creation of a session cookie is recorded")
    func cookie() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.signUp()
        let events = try await gateway.newAuditEvents {
            let created = try await gateway.send(
                .post, "/v1/projects/demo:createSessionCookie",
                body: JSON.object(["idToken": .string(ada.idToken)]).bytes, query: [],
                headers: ["Authorization": "Bearer \(TestGateway.serviceKeySecret)"])
            #expect(created.status == 200)
        }
        #expect(events.map(\.description) == ["key:service sessionCookie.created \(ada.localId)"])
    }

    @Test("The creation of projects and keys is recorded")
    func commandLine() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let dump = try await gateway.auditTrailDump()
        for action in ["project.added", "apiKey.added", "serviceKey.added"] { #expect(dump.contains("\"\(action)\"")) }
    }

    @Test("A change fails if its audit event cannot be written", arguments: rows.filter { !$0.events.isEmpty })
    func atomicity(row: Row) async throws {
        let gateway = try await Self.gatewayWithAdaAndBob()
        // From now on, no audit event of the service key can be written.
        _ = try await gateway.database.pool.execute("ALTER TABLE audit_event ADD CHECK (actor = 'cli') NOT VALID")
        /// The accounts, their identities, and the number of codes.
        func storedState() async throws -> String? {
            try await gateway.database.pool.query(
                """
                SELECT (SELECT string_agg(a::text, ';' ORDER BY id) FROM account a)
                    || (SELECT string_agg(l::text, ';') FROM linked_identity l) || (SELECT count(*) FROM oob_code) AS state
                """
            ).first?.decode("state")
        }
        let before = try await storedState()
        let answer = try await gateway.administerAccounts(row.operation, row.body)
        #expect(answer.status == 500)
        #expect(try await storedState() == before)
    }
}
