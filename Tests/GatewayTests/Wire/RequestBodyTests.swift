import HTTP
import Identity
import Testing

@testable import API
@testable import Support

/// The response of `createAuthUri` has the request's `sessionId`, which shows how the gateway reads text. `update` has
/// members of every type.
@Suite("A request body")
struct RequestBodyTests {
    static let requiredMembers = #""identifier":"eve@example.com","continueUri":"http://localhost""#
    private static let shared = Task { try await TestGateway.withDefaultPolicy() }
    static let allowedAttributes =
        "must be equal to one of the allowed values: USER_ATTRIBUTE_NAME_UNSPECIFIED, EMAIL, DISPLAY_NAME, PROVIDER, PHOTO_URL, PASSWORD, RAW_USER_INFO"
    static let responseStart = #"200 {"kind":"identitytoolkit#CreateAuthUriResponse","sessionId":"#

    @Test(
        "Aliases, numbers for text, null and unknown members are accepted",
        arguments: [
            (#"{"identifier":"eve@example.com","continueUri":"http://localhost","sessionId":"s"}"#, #""s""#),
            (#"{"identifier":"eve@example.com","continue_uri":"http://localhost","session_id":"s"}"#, #""s""#),
            (#"{\#(requiredMembers),"sessionId":42}"#, #""42""#),
            (#"{\#(requiredMembers),"sessionId":-9223372036854775808}"#, #""-9223372036854775808""#),
            (#"{\#(requiredMembers),"sessionId":42.0}"#, #""42""#),
            (#"{\#(requiredMembers),"sessionId":null}"#, #""random""#),
            (#"{\#(requiredMembers),"sessionId":""}"#, #""random""#),
            (#"{\#(requiredMembers),"providerId":null,"tenantId":null,"targetProjectId":null}"#, #""random""#),
            (#"{\#(requiredMembers),"unknown":{"a":["b"]}}"#, #""random""#),
            (" {\(requiredMembers)}\n", #""random""#),
        ])
    func tolerance(body: String, sessionID: String) async throws {
        // Without a session ID in the request, the gateway returns a random one, which the test replaces.
        #expect(
            try await Self.shared.value.post("/v1/accounts:createAuthUri", text: body).outcomeWithBody
                .replacing(#/"[A-Za-z0-9]{27}"/#, with: #""random""#) == "\(Self.responseStart)\(sessionID)}")
    }

    @Test(
        "A request body is read with any content type",
        arguments: ["text/plain", "application/x-www-form-urlencoded", "x"])
    func contentType(type: String) async throws {
        let response = try await Self.shared.value.send(
            .post, "/v1/accounts:createAuthUri", headers: ["Content-Type": type], text: "{\(Self.requiredMembers)}")
        #expect(response.status == 200)
    }

    @Test("A request body may be missing if no member is required", arguments: ["", "{}"])
    func empty(body: String) async throws {
        #expect(try await Self.shared.value.post("/v1/accounts:signUp", text: body).status == 200)
    }

    @Test(
        "A request body of the wrong shape is rejected with the path of the member",
        arguments: [
            (#"{"sessionId":true}"#, "/sessionId must be a string"),
            (#"{"sessionId":1.5}"#, "/sessionId must be a string"),
            (#"{"sessionId":{}}"#, "/sessionId must be a string"),
            (#"{"sessionId":["a"]}"#, "/sessionId must be a string"),
            (#"{"session_id":[]}"#, "/sessionId must be a string"),
            ("[]", "must be an object"), (#""text""#, "must be an object"), ("1", "must be an object"),
            ("null", "must be an object"), ("true", "must be an object"),
        ])
    func shape(body: String, problem: String) async throws {
        let response = try await Self.shared.value.post("/v1/accounts:createAuthUri", text: body)
        #expect(response.outcome == "400 Invalid JSON payload received. \(problem)")
        #expect(response.text.contains(#""status":"INVALID_ARGUMENT""#))
        #expect(response.text.contains(#""reason":"invalid""#))
    }

    @Test(
        "A member of the wrong type is rejected with its path",
        arguments: [
            (#"{"deleteAttribute":"EMAIL"}"#, "/deleteAttribute must be an array"),
            (#"{"deleteAttribute":{}}"#, "/deleteAttribute must be an array"),
            (#"{"deleteAttribute":["NAME"]}"#, "/deleteAttribute/0 \(allowedAttributes)"),
            (#"{"deleteAttribute":["EMAIL",7]}"#, "/deleteAttribute/1 \(allowedAttributes)"),
            (#"{"deleteAttribute":[-1]}"#, "/deleteAttribute/0 \(allowedAttributes)"),
            (#"{"deleteAttribute":[true]}"#, "/deleteAttribute/0 must be a string"),
            (#"{"disableUser":"yes"}"#, "/disableUser must be a boolean"),
            (#"{"disableUser":1}"#, "/disableUser must be a boolean"),
            (#"{"disableUser":"True"}"#, "/disableUser must be a boolean"),
            (#"{"disableUser":""}"#, "/disableUser must be a boolean"),
            (#"{"deleteProvider":"password"}"#, "/deleteProvider must be an array"),
        ])
    func types(body: String, problem: String) async throws {
        let response = try await Self.shared.value.post("/v1/accounts:update", text: body)
        #expect(response.outcome == "400 Invalid JSON payload received. \(problem)")
    }

    @Test("Booleans and integers are also accepted as text, and enumerations by index")
    func conversions() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let users: JSON = [
            ["localId": "ada", "email": "ada@example.com", "emailVerified": "true", "disabled": "false"]
        ]
        let imported = try await gateway.administerAccounts(":batchCreate", ["users": users, "sanityCheck": "true"])
        #expect(imported.json == ["kind": "identitytoolkit#UploadAccountResponse"])
        #expect(try await gateway.accountSeenByAdmin("ada")["emailVerified"] == true)
        for (length, expected): (JSON, JSON) in [("8", 8), (9, 9), (.number(10.0), 10)] {
            let policy: JSON = ["passwordPolicyVersions": [["customStrengthOptions": ["minPasswordLength": length]]]]
            let answer = try await gateway.send(
                .patch, "/v2/projects/demo/config", body: JSON.object(["passwordPolicyConfig": policy]).bytes,
                query: [], headers: ["Authorization": "Bearer \(TestGateway.serviceKeySecret)"])
            let versions = answer.json["passwordPolicyConfig"]?["passwordPolicyVersions"]
            #expect(versions?[0]?["customStrengthOptions"]?["minPasswordLength"] == expected, "\(answer.text)")
        }
        let sent = try await gateway.post(
            "/v1/accounts:sendOobCode", text: #"{"requestType":1,"email":"ada@example.com"}"#)
        #expect(sent.outcome == "200")
    }

    @Test("Values inside claims keep their types")
    func claims() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let claims = #"{"admin":"true","level":"7","ratio":1.5}"#
        let created = try await gateway.createAccountAsAdmin(["localId": "ada"])
        #expect(created.outcome == "200")
        let body: JSON = ["localId": "ada", "customAttributes": .string(claims)]
        #expect(try await gateway.administerAccounts(":update", body).outcome == "200")
        #expect(try await gateway.accountSeenByAdmin("ada")["customAttributes"] == .string(claims))
    }

    @Test(
        "A request body that is not JSON is a parse error",
        arguments: ["{", "{\"a\":1,}", "nonsense", "{} {}", "{\"a\":\"\u{1}\"}"])
    func unreadable(body: String) async throws {
        let response = try await Self.shared.value.post("/v1/accounts:signUp", text: body)
        #expect(response.outcome.hasPrefix("400 Invalid JSON payload received. "))
        #expect(response.text.contains(#""reason":"parseError""#))
        #expect(response.text.contains(#""status":"INVALID_ARGUMENT""#))
    }

    struct Bound: CustomTestStringConvertible {
        let operation: String
        let member: String
        let limit: Int
        let unit: String
        /// The error for a text of the maximum length; `nil` if it is accepted.
        var errorAtLimit: String?
        var character = "x"

        var testDescription: String { member }
    }

    @Test(
        "Texts have maximum lengths",
        arguments: [
            Bound(
                operation: "signInWithPassword", member: "email", limit: 1024, unit: "characters",
                errorAtLimit: "INVALID_EMAIL"
            ),
            Bound(operation: "signUp", member: "password", limit: 4096, unit: "bytes", errorAtLimit: "MISSING_EMAIL"),
            Bound(
                operation: "lookup", member: "idToken", limit: 16384, unit: "bytes", errorAtLimit: "INVALID_ID_TOKEN"),
            Bound(
                operation: "merge", member: "mergeToken", limit: 49152, unit: "bytes", errorAtLimit: "MISSING_ID_TOKEN"
            ),
            Bound(
                operation: "createAuthUri", member: "identifier", limit: 1024, unit: "characters",
                errorAtLimit: "MISSING_CONTINUE_URI"),
        ])
    func bounds(bound: Bound) async throws {
        func outcome(_ length: Int) async throws -> String {
            let text = String(repeating: bound.character, count: length)
            return try await Self.shared.value.post(
                "/v1/accounts:\(bound.operation)", text: #"{"\#(bound.member)":"\#(text)"}"#
            ).outcome
        }
        #expect(try await outcome(bound.limit) == bound.errorAtLimit.map { "400 \($0)" } ?? "200")
        #expect(
            try await outcome(bound.limit + 1)
                == "400 Invalid JSON payload received. /\(bound.member) must not be longer than \(bound.limit) \(bound.unit)"
        )
    }

    @Test(
        "A name or photo URL that is too long or has control characters is an INVALID_PROFILE_ATTRIBUTE",
        arguments: [("displayName", 256), ("photoUrl", 2048)])
    func profileAttributes(member: String, limit: Int) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let refusal = "400 INVALID_PROFILE_ATTRIBUTE : \(member) must not"
        let long = String(repeating: "é", count: limit + 1)
        for text in ["a\nb", "a\u{1B}b", "a\u{7F}b", "a\u{85}b", "a\u{2028}b", long] {
            let answer = try await gateway.createAccountAsAdmin(.object([member: .string(text)]))
            #expect(
                answer.outcome
                    == (text == long
                        ? "\(refusal) be longer than \(limit) characters"
                        : "\(refusal) contain control characters or line separators"))
        }
        let allowed: JSON = .object([member: .string(String(long.dropLast()))])
        #expect(try await gateway.createAccountAsAdmin(allowed).outcome == "200")
    }

    @Test(
        "A client's body may not name a project, or a tenant that does not exist",
        arguments: Endpoint.all.filter {
            // A notification of a provider has neither a project nor a tenant in its body.
            $0.method == .post && !$0.isPage && !$0.path.contains("{project}") && !$0.path.contains("/apple/")
                && !$0.path.contains("/google/")
        })
    func projectAndTenant(endpoint: Endpoint) async throws {
        let project = try await Self.shared.value.send(.post, endpoint.path, text: #"{"target_project_id":"demo"}"#)
        #expect(
            project.outcome
                == "400 INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id.")
        let tenant = try await Self.shared.value.send(.post, endpoint.path, text: #"{"tenantId":"t"}"#)
        #expect(tenant.outcome == "400 INVALID_TENANT_ID")
    }
}
