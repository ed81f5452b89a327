import Testing

@testable import Support

/// The schemas of these bodies allow every combination of members, because generators cannot express alternatives.
@Suite("Invalid combinations of members")
struct CombinationTests {
    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let path: String
        let members: JSON
        /// The error's message after `Invalid JSON payload received. `, or its code.
        let expected: String
    }

    private static let merge = "/v1/accounts:merge"
    private static let credential: JSON = ["providerId": "apple.com", "idToken": "x"]

    @Test(
        "A request with members of two alternatives, or of none, is rejected",
        arguments: [
            Row(
                testDescription: "dry run and merge token", path: merge, members: ["dryRun": true, "mergeToken": "x"],
                expected: "/dryRun must be false or absent if mergeToken is present"),
            Row(
                testDescription: "neither dry run nor merge token", path: merge, members: ["targetIdToken": "x"],
                expected: "MISSING_MERGE_TOKEN"),
            Row(
                testDescription: "ID token and credential of the target", path: merge,
                members: ["dryRun": true, "targetIdToken": "x", "credential": credential],
                expected: "must have only one of credential, postBody, pendingToken and targetIdToken"),
            Row(
                testDescription: "ID token and pending token of the target", path: merge,
                members: ["dryRun": true, "targetIdToken": "x", "pendingToken": "x"],
                expected: "must have only one of credential, postBody, pendingToken and targetIdToken"),
            Row(
                testDescription: "credential in two forms", path: merge,
                members: ["dryRun": true, "credential": credential, "postBody": "x"],
                expected: "must not have credential beside postBody or pendingToken"),
            Row(
                testDescription: "credential and pending token", path: merge,
                members: ["dryRun": true, "credential": credential, "pendingToken": "x"],
                expected: "must not have credential beside postBody or pendingToken"),
            Row(
                testDescription: "no proof of the target", path: merge, members: ["dryRun": true],
                expected: "MISSING_REQUEST_URI"),
            Row(
                testDescription: "one session and all", path: "/v1/accounts:revokeSession",
                members: ["sessionId": "current", "everywhere": true],
                expected: "/sessionId must be absent if everywhere is true"),
            Row(
                testDescription: "no session", path: "/v1/accounts:revokeSession", members: [:],
                expected: "MISSING_SESSION_ID"),
        ])
    func refusal(row: Row) async throws {
        let gateway = try await TestGateway()
        let idToken = try await gateway.signUpAnonymously().idToken
        guard case .object(var body) = row.members else { return }
        body["idToken"] = .string(idToken)
        let answer = try await gateway.post(row.path, .object(body))
        #expect(answer.status == 400)
        #expect(answer.outcome.contains(row.expected), "\(answer.text)")
    }
}
