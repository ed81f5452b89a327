import HTTP
import Identity
import Postgres
import Simulators
import Testing

@testable import Gateway
@testable import Support

@Suite("Answers of blocking functions")
struct HookReplyTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The status in `serve`.
        let serve: Int
        /// The status and the message after the code in `dev`.
        let dev: String
        let answer: @Sendable () throws -> ClientResponse

        init(
            _ description: String, _ serve: Int, _ dev: String,
            _ answer: @escaping @Sendable () throws -> ClientResponse
        ) {
            (testDescription, self.serve, self.dev, self.answer) = (description, serve, dev, answer)
        }

        init(_ description: String, _ serve: Int, _ dev: String, _ text: String, status: Int = 200) {
            self.init(description, serve, dev) { .json(text, status: status) }
        }
    }

    private static let url = HookFixture.url
    private static let late = "500 ((Deadline exceeded making request to \(url).))"
    private static let failed = "500 ((Failed to make request to \(url).))"
    private static let notJSON = "500 ((Response body is not valid JSON.))"
    private static let noMask = "400 ((Response UserRecord is missing updateMask.))"

    private static let badName =
        "400 ((displayName must have at most 256 characters, without control characters.))"

    private static func http(_ status: Int, _ body: String) -> String {
        "400 ((HTTP request to \(url) returned HTTP error \(status): \(body)))"
    }

    static let answers: [Row] = [
        Row("nothing changes", 200, "200", "{}"),
        Row("only the override for reCAPTCHA", 200, "200", #"{"recaptchaActionOverride":"ALLOW"}"#),
        Row("no record", 200, "200", #"{"userRecord":null}"#),
        Row("unknown members in the mask", 200, "200", .reply("email,localId", #""email":"eve@example.com""#)),
        Row("no mask", 400, noMask, #"{"userRecord":{"displayName":"x"}}"#),
        Row("an empty mask", 400, noMask, #"{"userRecord":{"updateMask":""}}"#),
        Row("a record of another type", 400, noMask, #"{"userRecord":"x"}"#),
        Row("a list", 503, notJSON, "[]"),
        Row("no JSON", 503, notJSON, "<html>"),
        Row("nothing", 503, notJSON, ""),
        Row("a repeated member", 503, notJSON, #"{"userRecord":{},"userRecord":{}}"#),
        Row("a repeated member, spelled differently", 503, notJSON, #"{"userRecord":{},"user\u0052ecord":{}}"#),
        Row(
            "deep JSON", 503, notJSON,
            String(repeating: #"{"a":"#, count: 5000) + "1" + String(repeating: "}", count: 5000)),
        Row("text that is not UTF-8", 503, notJSON) {
            ClientResponse(status: 200, body: Array(#"{"a":""#.utf8) + [0xFF] + Array(#""}"#.utf8))
        },
        Row("half of a surrogate pair", 503, notJSON, #"{"a":"\uD800"}"#),
        Row("a compressed body", 503, notJSON) { ClientResponse(status: 200, body: [0x1F, 0x8B, 0x08, 0x00]) },
        Row("a status without an error", 400, http(500, "oops"), "oops", status: 500),
        Row("an error", 400, http(403, .refusal), .refusal, status: 403),
        Row("a redirect", 503, failed) {
            ClientResponse(status: 302, headers: ["Location": "https://eve.example/"], body: [])
        },
        Row("late", 503, late) { throw ClientFault.timedOut },
        Row("not reachable", 503, failed) { throw ClientFault.unreachable },
        Row("a private address", 503, failed) { throw ClientFault.destinationNotAllowed },
        Row("no TLS", 503, failed) { throw ClientFault.tlsFailed },
        Row("too long", 503, failed) { throw ClientFault.tooLarge },
        Row("cut off", 503, failed) { throw ClientFault.connectionLost },
        Row("text for a Boolean", 400, "200", .reply("emailVerified", #""emailVerified":"true""#)),
        Row("null for a Boolean", 400, "200", .reply("emailVerified", #""emailVerified":null"#)),
        Row("a number for a name", 400, "200", .reply("displayName", #""displayName":1"#)),
        Row("null for a name", 200, "200", .reply("displayName,photoURL", #""displayName":null,"photoURL":null"#)),
        Row("a long name", 400, badName, .reply("displayName", #""displayName":"\#(text(257))""#)),
        Row("a name with a line separator", 400, badName, .reply("displayName", #""displayName":"a\u2028b""#)),
        Row("a name of 256 characters", 200, "200", .reply("displayName", #""displayName":"\#(text(256))""#)),
    ]

    private static func text(_ length: Int) -> String { String(repeating: "é", count: length) }

    /// A member with an object of `length` characters.
    private static func claimsMember(_ member: String, _ length: Int) -> String {
        #""\#(member)":{"a":"\#(text(length - 8))"}"#
    }

    private static func tooLong(_ members: String) -> String { "400 ((\(members) must have at most 1000 characters.))" }

    static let claimRows: [Row] = [
        Row(
            "text for claims", 400, "400 ((customClaims must be an object.))",
            .reply("customClaims", #""customClaims":"{}""#)),
        Row(
            "a list for claims", 400, "400 ((sessionClaims must be an object.))",
            .reply("sessionClaims", #""sessionClaims":[]"#)),
        Row("claims of 1000 characters", 200, "200", .reply("customClaims", claimsMember("customClaims", 1000))),
        Row(
            "claims of 1001 characters", 400, tooLong("customClaims"),
            .reply("customClaims", claimsMember("customClaims", 1001))),
        Row(
            "session claims of 1001 characters", 400, tooLong("sessionClaims"),
            .reply("sessionClaims", claimsMember("sessionClaims", 1001))),
        Row(
            "together 1000 characters", 200, "200",
            .reply(
                "customClaims,sessionClaims",
                claimsMember("customClaims", 501) + "," + claimsMember("sessionClaims", 500))),
        Row(
            "together 1001 characters", 400,
            "400 ((customClaims and sessionClaims must together have at most 1000 characters.))",
            .reply(
                "customClaims,sessionClaims",
                claimsMember("customClaims", 501) + "," + claimsMember("sessionClaims", 501))),
        reserved("sid", note: " (the gateway sets this claim to the ID of the session)"),
        reserved("act", note: " (this claim names a user who acts for another, RFC 8693 section 4.1)"),
        reserved(#"\u0073ub"#, "sub"),
    ]

    private static func reserved(_ name: String, _ shown: String? = nil, note: String = "") -> Row {
        Row(
            "the reserved claim \(name)", 400,
            "400 ((sessionClaims has the reserved claim \(shown ?? name)\(note).))",
            .reply("sessionClaims", #""sessionClaims":{"\#(name)":"x"}"#))
    }

    /// The names that firebase-functions and the emulator reserve, and those of the gateway.
    static let reservedRows = [
        "sub", "user_id", "iss", "aud", "iat", "exp", "nbf", "jti", "nonce", "azp", "acr", "amr", "cnf", "auth_time",
        "firebase", "at_hash", "c_hash", "SUB", "user_ID",
    ].map { reserved($0) }

    static let rows = answers + claimRows + reservedRows

    @Test("What an answer means in production: a refusal without the URL, or 503", arguments: rows)
    func serve(row: Row) async throws {
        let fixture = try await HookFixture(["beforeSignIn"])
        fixture.server.answer { _ in try row.answer() }
        let response = try await fixture.gateway.post(
            "/v1/accounts:signUp", ["email": "ada@example.com", "password": "secret1"])
        #expect(response.status == row.serve, "\(response.text)")
        #expect(!response.text.contains("hooks.example.com") && !response.text.contains("oops"))
        if row.serve == 503 {
            #expect(response.headers["Retry-After"] != nil)
            #expect(response.json == .null, "an SDK signs no user out after a text")
        }
        #expect(fixture.server.calls.count == 1, "it is not repeated")
        #expect(try await fixture.gateway.accountCount() == (row.serve == 200 ? 1 : 0))
    }

    @Test("What an answer means in the emulator: the texts of Firebase's", arguments: rows)
    func dev(row: Row) async throws {
        let fixture = try await HookFixture(["beforeSignIn"], isEmulator: true)
        fixture.server.answer { _ in try row.answer() }
        let response = try await fixture.gateway.post(
            "/v1/accounts:signUp", ["email": "ada@example.com", "password": "secret1"])
        let expected = row.dev.replacing(" ((", with: " BLOCKING_FUNCTION_ERROR_RESPONSE : ((")
        #expect(response.outcome == expected)
        if expected.utf8.starts(with: "500 ".utf8) { #expect(response.json["error"]?["code"] == 500) }
    }

    @Test("The message of a refusal is cut, and members that no client needs are left out")
    func longMessage() async throws {
        let fixture = try await HookFixture(["beforeSignIn"])
        let text = String(repeating: "é", count: 600)
        fixture.server.answer(
            #"{"error":{"status":"S","message":"\#(text)","details":{"a":1},"stack":"at /srv"}}"#, status: 400)
        let response = try await fixture.gateway.post(
            "/v1/accounts:signUp", ["email": "ada@example.com", "password": "secret1"])
        let message = response.json["error"]?["message"]?.string ?? ""
        #expect(message.count { $0 == "é" } == 500)
        #expect(message.contains(#""details":{"a":1}"#) && !message.contains("/srv"))
    }

    @Test("Both names of the photo work, beforeSignIn wins, and nothing else of the account changes")
    func changes() async throws {
        let fixture = try await HookFixture()
        fixture.server.answer { call in
            .json(
                call.event == "beforeCreate"
                    ? .reply(
                        "displayName,photoURL,customClaims,sessionClaims",
                        #""displayName":"A","photoURL":"https://p.example/1","customClaims":{"role":"a","x":1},"sessionClaims":{"no":1}"#
                    )
                    : .reply(
                        "displayName,photoUrl,sessionClaims,email,localId,phoneNumber,multiFactor",
                        #""displayName":"B","photoUrl":"https://p.example/2","sessionClaims":{"sc":1,"x":2,"email":"eve@example.com"},"email":"eve@example.com","localId":"x","phoneNumber":"+16135550100""#
                    ))
        }
        let ada = try await fixture.gateway.signUp()
        let seen = try #require(fixture.server.calls.last).record
        #expect(seen["display_name"] == "A" && seen["photo_url"] == "https://p.example/1")
        #expect(seen["custom_claims"]?["role"] == "a", "beforeSignIn sees what beforeCreate changed")
        let info = try await fixture.account(ada)
        #expect(info["displayName"] == "B" && info["photoUrl"] == "https://p.example/2")
        #expect(info["email"] == "ada@example.com" && info["phoneNumber"] == nil)
        #expect(info["customAttributes"]?.string?.contains("sc") == false, "session claims are not the account's")
        let refresh = try await fixture.gateway.refresh(ada.refreshToken)
        let refreshed = try #require(refresh.json["id_token"]?.string, "\(refresh.text)")
        let cookie = try await fixture.gateway.post(
            "/v1/projects/demo:createSessionCookie",
            ["idToken": .string(refreshed), "validDuration": "3600"], key: nil,
            headers: ["Authorization": "Bearer \(fixture.key.secret)"])
        let sessionCookie = try #require(cookie.json["sessionCookie"]?.string, "\(cookie.text)")
        for token in [ada.idToken, refreshed, sessionCookie] {
            let claims = try claims(of: token)
            #expect(claims["role"] == "a" && claims["sc"] == 1 && claims["no"] == nil)
            #expect(claims["x"] == 2, "session claims win over claims of the account")
            #expect(claims["email"] == "ada@example.com", "claims of the gateway win")
        }
        let changed = try await fixture.gateway.update(refreshed, ["password": "another1"])
        let token = try #require(changed.json["idToken"]?.string, "\(changed.text)")
        #expect(try claims(of: token)["sc"] == 1, "the claims of the session survive a change by its user")
        try await fixture.configure([])
        let next = try TestGateway.Tokens(await fixture.gateway.signIn(password: "another1"))
        #expect(try claims(of: next.idToken)["sc"] == nil)
    }

    @Test("null removes a name and a photo")
    func clearing() async throws {
        let fixture = try await HookFixture(["beforeSignIn"])
        let profile = try await fixture.gateway.signUp()
        let update = try await fixture.gateway.update(
            profile.idToken, ["displayName": "Ada", "photoUrl": "https://p.example/1"])
        #expect(update.status == 200)
        fixture.server.answer(.reply("displayName,photoURL", #""displayName":null,"photoURL":null"#))
        let ada = try TestGateway.Tokens(await fixture.gateway.signIn())
        let info = try await fixture.account(ada)
        #expect(info["displayName"] == nil && info["photoUrl"] == nil)
        #expect(try claims(of: ada.idToken)["name"] == nil)
    }

    @Test("beforeCreate that disables the account stores it, and beforeSignIn is not asked")
    func disabled() async throws {
        let fixture = try await HookFixture()
        fixture.server.answer(.reply("disabled", #""disabled":true"#))
        let response = try await fixture.gateway.post(
            "/v1/accounts:signUp", ["email": "ada@example.com", "password": "secret1"])
        #expect(response.wireCode == "USER_DISABLED")
        #expect(fixture.server.events == ["beforeCreate"])
        #expect(try await fixture.stored() == [1, 0])
        #expect(try await fixture.gateway.signIn().wireCode == "USER_DISABLED")
        #expect(fixture.server.events == ["beforeCreate"], "a disabled account is refused before")
    }

    @Test(
        "Tokens and look-ups repeat a function's word about an address, which proves no mailbox: its owner reclaims it")
    func vouched() async throws {
        let fixture = try await HookFixture()
        let gateway = fixture.gateway
        fixture.server.answer(.reply("emailVerified", #""emailVerified":true"#))
        let credential = try gateway.appleCredential()
        let email = try #require(try claims(of: credential.idToken)["email"]?.string)
        let stranger = try await gateway.signUp(email: email)
        #expect(try await fixture.account(stranger)["emailVerified"] == true)
        #expect(try claims(of: stranger.idToken)["email_verified"] == true)
        #expect(try await gateway.signIn(credential).status == 200)
        #expect(try await gateway.signIn(email: email).outcome != "200", "the stranger's password is removed")
        #expect(try await gateway.lookup(stranger.idToken).status == 400)
    }

    @Test("A reset of the password by the owner of a mailbox removes what its vouched creator has added")
    func vouchedReset() async throws {
        let fixture = try await HookFixture()
        let gateway = fixture.gateway
        fixture.server.answer(.reply("emailVerified", #""emailVerified":true"#))
        let stranger = try await gateway.signUp()
        let update = try await gateway.update(stranger.idToken, ["displayName": "Stranger"])
        #expect(update.json["emailVerified"] == true, "\(update.text)")
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        #expect(try await gateway.resetPassword(code).status == 200)
        #expect(try await gateway.lookup(stranger.idToken).status == 400)
        let names = try await gateway.database.pool.query(
            "SELECT display_name AS name, vouched_email AS vouched FROM account")
        #expect(try names.map { try $0.decode("name", as: String?.self) } == [nil], "it is reclaimed")
        #expect(try names.map { try $0.decode("vouched", as: String?.self) } == [nil])
    }

    @Test(
        "A function's word about an address does not survive a change of the address, nor the word of an administrator")
    func withdrawnWord() async throws {
        let fixture = try await HookFixture(["beforeCreate"])
        let gateway = fixture.gateway
        fixture.server.answer(.reply("emailVerified", #""emailVerified":true"#))
        let ada = try await gateway.signUp()
        let grace = try await gateway.signUp(email: "grace@example.com")
        let moved = try await gateway.update(ada.idToken, ["email": "new@example.com"])
        #expect(moved.status == 200 && moved.json["emailVerified"] == false, "\(moved.text)")
        let token = try #require(moved.json["idToken"]?.string)
        #expect(try claims(of: token)["email_verified"] == false)
        #expect(try await fixture.account(grace)["emailVerified"] == true)
        let denied = try await gateway.post(
            "/v1/projects/demo/accounts:update", ["localId": .string(grace.localId), "emailVerified": false], key: nil,
            headers: ["Authorization": "Bearer \(fixture.key.secret)"])
        #expect(denied.status == 200, "\(denied.text)")
        #expect(try await fixture.account(grace)["emailVerified"] == false)
    }

    @Test("A function vouches for an address, takes its word back, and takes the verification from a new account")
    func confirmed() async throws {
        let fixture = try await HookFixture(["beforeCreate"])
        func signIn(_ word: String) async throws -> JSON? {
            fixture.server.answer(.reply("emailVerified", #""emailVerified":\#(word)"#))
            let tokens = try TestGateway.Tokens(await fixture.gateway.signIn(fixture.gateway.appleCredential()))
            return try await fixture.account(tokens)["emailVerified"]
        }
        #expect(try await signIn("false") == false)
        try await fixture.configure(["beforeSignIn"])
        #expect(try await signIn("true") == true)
        #expect(try await signIn("false") == false, "it takes its own word back")
        _ = try await fixture.gateway.database.pool.execute("UPDATE account SET email_verified = true")
        #expect(try await signIn("false") == true, "it takes no proof from an account that exists")
    }
}
