import Encoding
import HTTP
import Identity
import Postgres
import Testing

@testable import Support

@Suite("Requests for email action codes")
struct OOBCodeTests {
    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let body: [String: JSON]
        let outcome: String
    }

    @Test(
        "An invalid request for a code gets the error code that Firebase reports, even if it has several faults",
        arguments: [
            Row(testDescription: "no request type", body: [:], outcome: "400 MISSING_REQ_TYPE"),
            Row(testDescription: "request type 0", body: ["requestType": 0], outcome: "400 MISSING_REQ_TYPE"),
            Row(
                testDescription: "an unknown request type", body: ["requestType": "NO_SUCH_TYPE"],
                outcome:
                    "400 Invalid JSON payload received. /requestType must be equal to one of the allowed values: OOB_REQ_TYPE_UNSPECIFIED, PASSWORD_RESET, OLD_EMAIL_AGREE, NEW_EMAIL_ACCEPT, VERIFY_EMAIL, RECOVER_EMAIL, EMAIL_SIGNIN, VERIFY_AND_CHANGE_EMAIL, REVERT_SECOND_FACTOR_ADDITION"
            ),
            Row(
                testDescription: "a password reset without an address", body: ["requestType": "PASSWORD_RESET"],
                outcome: "400 MISSING_EMAIL"),
            Row(
                testDescription: "a password reset for an invalid address",
                body: ["requestType": "PASSWORD_RESET", "email": "x"],
                outcome: "400 INVALID_EMAIL"),
            Row(
                testDescription: "a password reset for an unknown address",
                body: ["requestType": "PASSWORD_RESET", "email": "nobody@example.com"],
                outcome: "400 EMAIL_NOT_FOUND"),
            Row(
                testDescription: "a sign-in link (type 6) without an address", body: ["requestType": 6],
                outcome: "400 MISSING_EMAIL"),
            Row(
                testDescription: "a verification without an ID token", body: ["requestType": "VERIFY_EMAIL"],
                outcome: "400 INVALID_ID_TOKEN"),
            Row(
                testDescription: "a verification with an address instead of an ID token",
                body: ["requestType": "VERIFY_EMAIL", "email": "ada@example.com"], outcome: "400 INVALID_ID_TOKEN"),
            Row(
                testDescription: "a change without a new address", body: ["requestType": "VERIFY_AND_CHANGE_EMAIL"],
                outcome: "400 MISSING_NEW_EMAIL"),
            Row(
                testDescription: "a change to an invalid address",
                body: ["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "x"], outcome: "400 INVALID_NEW_EMAIL"),
            Row(
                testDescription: "a change without an ID token",
                body: ["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "b@example.com"],
                outcome: "400 MISSING_ID_TOKEN"),
            Row(
                testDescription: "a client that requests the link in the response",
                body: ["requestType": "PASSWORD_RESET", "email": "ada@example.com", "returnOobLink": true],
                outcome: "400 INSUFFICIENT_PERMISSION"),
            Row(
                testDescription: "a recovery code", body: ["requestType": "RECOVER_EMAIL"],
                outcome: "400 INVALID_REQ_TYPE : The gateway sends this code only in a notice, not on request."),
            Row(
                testDescription: "a continue URL of another site",
                body: [
                    "requestType": "PASSWORD_RESET", "email": "ada@example.com", "continueUrl": "https://evil.example/",
                ],
                outcome: "400 UNAUTHORIZED_DOMAIN : Domain not allowlisted by project"),
            Row(
                testDescription: "a continue URL that is not a page",
                body: ["requestType": "PASSWORD_RESET", "email": "ada@example.com", "continueUrl": "javascript:1"],
                outcome: "400 INVALID_CONTINUE_URI"),
        ])
    func refusals(row: Row) async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signUp()
        let exchange = try await gateway.post("/v1/accounts:sendOobCode", .object(row.body))
        #expect(exchange.outcome == row.outcome)
        #expect(try await gateway.emails().isEmpty)
    }

    @Test(
        "With enumeration protection, a reset is answered alike for known and unknown addresses, and both get an email"
    )
    func enumerationProtection() async throws {
        let gateway = try await TestGateway { $0.emailEnumerationProtection = true }
        _ = try await gateway.signUp()
        for email in ["ada@example.com", "bob@example.com"] {
            let exchange = try await gateway.sendOobCode("PASSWORD_RESET", ["email": .string(email)])
            #expect(exchange.status == 200)
            #expect(
                exchange.json == [
                    "kind": "identitytoolkit#GetOobConfirmationCodeResponse", "email": .string(email),
                ])
        }
        let emails = try await gateway.emails(.resetPassword)
        #expect(emails.map(\.recipient).sorted() == ["ada@example.com", "bob@example.com"])
        #expect(
            try await gateway.database.pool.query("SELECT 1 FROM oob_code").isEmpty, "the email worker stores the code")
    }

    @Test("Codes have 43 characters (32 bytes in base64url), and the database does not contain them in plain text")
    func secrecy() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        let first = try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(ada.idToken)])
        gateway.clock.advance(by: .seconds(1))
        let second = try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(ada.idToken)])
        #expect(first != second)
        #expect(first.count == 43)
        let dump = try await gateway.databaseDump()
        #expect(!dump.contains(first))
        #expect(!dump.contains(second))
    }

    @Test("A queued email has the first requested language that is supported, or none")
    func language() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signUp()
        for (headers, language): ([String: String], String?) in [
            (["X-Firebase-Locale": "ja"], "ja"), (["Accept-Language": "nl, ja-JP;q=0.8, en;q=0.5"], "ja"),
            (["X-Firebase-Locale": "en-GB", "Accept-Language": "ja"], "en"),
            (["Accept-Language": "zh-Hant-HK"], "zh-Hant"),
            (["Accept-Language": "nl"], nil),
            ([:], nil),
        ] {
            gateway.clock.advance(by: .seconds(1))
            let body: JSON = ["requestType": "PASSWORD_RESET", "email": "ada@example.com"]
            _ = try await gateway.send(
                .post, "/v1/accounts:sendOobCode", body: try body.bytes, query: [("key", TestGateway.apiKey)],
                headers: Headers(headers.map { ($0.key, $0.value) }))
            #expect(try await gateway.emails().last?.language == language, "\(headers)")
        }
    }

    @Test("A code for a change of address needs a recent login, and a code for a verification does not")
    func recency() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        let change: [String: JSON] = ["idToken": .string(ada.idToken), "newEmail": "b@example.com"]
        // A recent login is at most 300 seconds old.
        gateway.clock.advance(by: .seconds(301))
        #expect(
            try await gateway.sendOobCode("VERIFY_AND_CHANGE_EMAIL", change).outcome
                == "400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        #expect(
            try await gateway.sendOobCode("VERIFY_EMAIL", ["idToken": .string(ada.idToken)]).status == 200)
    }
}
