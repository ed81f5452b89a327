import Encoding
import HTTP
import Identity
import Postgres
import Testing

@testable import Support

@Suite("What blocking functions get")
struct HookRequestTests {
    @Test(
        "Each sign-in method calls its functions, with every claim that Firebase's libraries read",
        arguments: HookedWay.asked)
    func asked(way: HookedWay) async throws {
        let fixture = try await HookFixture()
        let request = try await way.prepare(fixture)
        fixture.server.forgetCalls()
        let response = try await request()
        #expect(response.outcome == "200")
        #expect(fixture.server.events == way.events)
        #expect(Set(fixture.server.calls.map { $0.claims["event_id"] }).count == way.events.count)
        for call in fixture.server.calls {
            let claims = call.claims
            #expect(claims["iss"] == "https://auth.example.com/demo")
            #expect(claims["aud"]?.string == HookFixture.url)
            let now = Double(fixture.gateway.clock.now.seconds)
            #expect(claims["iat"] == .number(now) && claims["exp"] == .number(now + 600))
            #expect(claims["ip_address"] == "192.0.2.1")
            #expect(claims["user_agent"]?.string != nil)
            #expect(claims["sign_in_method"]?.string == way.method)
            // Firebase's parsers fail without these members.
            let record = call.record
            #expect(record["uid"] == claims["sub"] && record["uid"]?.string?.isEmpty == false)
            #expect(record["provider_data"] != nil)
            #expect(record["metadata"]?["creation_time"] != nil)
            #expect(record["disabled"] == false && record["email_verified"] != nil)
            #expect(record["tokens_valid_after_time"] != nil && record["custom_claims"] == [:])
            for factor in record["multi_factor"]?["enrolled_factors"]?.elements ?? [] {
                let isPhone = way.testDescription.hasPrefix("text message")
                #expect(factor["uid"]?.string != nil && factor["factor_id"]?.string == (isPhone ? "phone" : "totp"))
                #expect(factor["phone_number"]?.string == (isPhone ? "+16135550100" : nil))
            }
            #expect(!call.text.contains("argon2") && !call.text.contains("secret1"))
            #expect(call.request.deadline == .seconds(7) && call.request.maximumResponseBytes == 64 * 1024)
        }
        if way.events.count == 2 {
            let ids = fixture.server.calls.map { $0.record["uid"] }
            #expect(ids[0] == ids[1])
            #expect(ids[0]?.string == response.json["localId"]?.string, "the ID of the account that was created")
        }
        let factor = fixture.server.calls.first?.claims["sign_in_second_factor"]?.string
        if way.testDescription.hasPrefix("second factor") { #expect(factor == "totp") }
        if way.testDescription.hasPrefix("text message") { #expect(factor == "phone") }
    }

    @Test("Other sign-ins and operations call no function", arguments: HookedWay.notAsked)
    func notAsked(way: HookedWay) async throws {
        let fixture = try await HookFixture()
        let request = try await way.prepare(fixture)
        fixture.server.forgetCalls()
        let response = try await request()
        #expect(response.isSuccess, "\(response.text)")
        #expect(fixture.server.events == [])
    }

    @Test("The token for a function has its own type, and is not accepted as an ID token")
    func token() async throws {
        let fixture = try await HookFixture()
        let ada = try await fixture.gateway.signUp()
        let token = try #require(fixture.server.calls.first).token
        #expect(try header(of: token)["typ"] == "hook+jwt")
        #expect(try header(of: token)["kid"] == header(of: ada.idToken)["kid"])
        let lookup = try await fixture.gateway.lookup(token)
        #expect(lookup.wireCode == "INVALID_ID_TOKEN", "\(lookup.text)")
        let custom = try await fixture.gateway.signIn(customToken: token)
        #expect(custom.status == 400, "\(custom.text)")
    }

    @Test("In the emulator, the token has no signature, and is not accepted as an ID token either")
    func emulatorToken() async throws {
        let fixture = try await HookFixture(isEmulator: true)
        _ = try await fixture.gateway.signUp()
        let call = try #require(fixture.server.calls.first)
        #expect(try header(of: call.token) == ["alg": "none", "typ": "JWT"])
        #expect(call.claims["iss"] == "https://securetoken.google.com/demo")
        #expect(call.request.deadline == .seconds(60))
        #expect(try await fixture.gateway.lookup(call.token).status == 400)
    }

    @Test("Functions get the provider's claims, and its tokens only if the project forwards them")
    func credentials() async throws {
        let fixture = try await HookFixture()
        let credential = try fixture.gateway.googleCredential()
        #expect(try await fixture.gateway.signIn(credential).status == 200)
        let claims = try #require(fixture.server.calls.last).claims
        let raw = try #require(claims["raw_user_info"]?.string)
        #expect(try JSON(Array(raw.utf8)) == claims["sign_in_attributes"])
        #expect(claims["sign_in_attributes"]?["email"] != nil)
        #expect(fixture.server.calls.allSatisfy { !$0.text.contains(credential.idToken) })
        #expect(fixture.server.calls.allSatisfy { !$0.text.contains("oauth_") })
        try await fixture.configure(["beforeSignIn"], forwarding: ["idToken": true])
        #expect(try await fixture.gateway.signIn(credential).status == 200)
        let forwarded = try #require(fixture.server.calls.last).claims
        #expect(forwarded["oauth_id_token"]?.string == credential.idToken)
        #expect(forwarded["oauth_access_token"] == nil && forwarded["oauth_refresh_token"] == nil)
    }

    @Test("Before a link, functions see the account with the linked method")
    func linked() async throws {
        let fixture = try await HookFixture(["beforeSignIn"])
        let guest = try await fixture.gateway.signUpAnonymously()
        let credential = try fixture.gateway.googleCredential()
        #expect(try await fixture.gateway.link(credential, to: guest.idToken).status == 200)
        let record = try #require(fixture.server.calls.last).record
        #expect(record["uid"]?.string == guest.localId)
        #expect(record["provider_data"]?[0]?["provider_id"] == "google.com")
        #expect(record["email"] != nil)
    }

    @Test("Functions for emails and text messages get the address and the purpose, and nothing about accounts")
    func messages() async throws {
        let fixture = try await HookFixture(["beforeSendEmail", "beforeSendSms"])
        _ = try await fixture.gateway.signUp()
        for (type, email) in [
            ("EMAIL_SIGNIN", "ada@example.com"), ("EMAIL_SIGNIN", "nobody@example.com"),
            ("PASSWORD_RESET", "ada@example.com"),
        ] {
            #expect(try await fixture.gateway.sendOobCode(type, ["email": .string(email)]).status == 200)
        }
        #expect(try await fixture.gateway.sendOobCode("PASSWORD_RESET", ["email": "nobody@example.com"]).status == 400)
        #expect(try await fixture.gateway.sendCode(to: "+16135550100").status == 200)
        let calls = fixture.server.calls.map(\.claims)
        #expect(
            calls.map { [$0["event_type"], $0["email_type"], $0["email"]] } == [
                ["beforeSendEmail", "EMAIL_SIGN_IN", "ada@example.com"],
                ["beforeSendEmail", "EMAIL_SIGN_IN", "nobody@example.com"],
                ["beforeSendEmail", "PASSWORD_RESET", "ada@example.com"],
                ["beforeSendEmail", "PASSWORD_RESET", "nobody@example.com"],
                ["beforeSendSms", nil, nil],
            ])
        #expect(calls.last?["phone_number"] == "+16135550100")
        #expect(calls.last?["sms_type"] == "SIGN_IN_OR_SIGN_UP")
        #expect(calls.allSatisfy { $0["user_record"] == nil && $0["sub"] == nil && $0["sign_in_method"] == nil })
    }

    @Test("The function for text messages learns what the code is for, and a refusal sends none")
    func smsTypes() async throws {
        let fixture = try await HookFixture(["beforeSendSms"])
        let gateway = fixture.gateway
        let ada = try await gateway.signUpVerified()
        fixture.server.answer(.refusal, status: 403)
        let start: JSON = [
            "idToken": .string(ada.idToken), "phoneEnrollmentInfo": ["phoneNumber": "+16135550100"],
        ]
        let refused = try await gateway.post("/v2/accounts/mfaEnrollment:start", start)
        #expect(refused.wireCode == "BLOCKING_FUNCTION_ERROR_RESPONSE", "\(refused.text)")
        fixture.server.answer("{}")
        _ = try await gateway.enrolled("+16135550100", ada)
        let first = try await gateway.signIn()
        let factor = try #require(first.json["mfaInfo"]?[0]?["mfaEnrollmentId"], "\(first.text)")
        fixture.server.answer(.refusal, status: 403)
        let started = try await gateway.startSecondFactor(first, factor)
        #expect(started.wireCode == "BLOCKING_FUNCTION_ERROR_RESPONSE", "\(started.text)")
        #expect(
            fixture.server.calls.map { $0.claims["sms_type"]?.string } == [
                "MULTI_FACTOR_ENROLLMENT", "MULTI_FACTOR_ENROLLMENT", "MULTI_FACTOR_SIGN_IN",
            ])
        #expect(fixture.server.calls.allSatisfy { $0.claims["phone_number"] == "+16135550100" })
    }

    @Test("With email enumeration protection, known and unknown addresses cause the same calls and answers")
    func enumeration() async throws {
        let fixture = try await HookFixture(["beforeSendEmail"]) { $0.emailEnumerationProtection = true }
        _ = try await fixture.gateway.signUp()
        for isRefused in [false, true] {
            if isRefused { fixture.server.answer(.refusal, status: 403) }
            var answers: [String] = []
            for email in ["ada@example.com", "eve@example.com"] {
                for type in ["EMAIL_SIGNIN", "PASSWORD_RESET"] {
                    let answer = try await fixture.gateway.sendOobCode(type, ["email": .string(email)])
                    answers.append("\(answer.status) \(answer.text.replacing(email, with: ""))")
                }
            }
            #expect(answers[0] == answers[2] && answers[1] == answers[3])
            #expect(answers[0].hasPrefix(isRefused ? "400" : "200"))
        }
        #expect(fixture.server.calls.count == 8)
    }

    @Test("A refused message is not sent and stores no code; security notices call no function")
    func refusedMessages() async throws {
        let fixture = try await HookFixture(["beforeSendEmail", "beforeSendSms"])
        let ada = try await fixture.gateway.signUpVerified()
        fixture.server.answer(.refusal, status: 403)
        func rows() async throws -> [Int] {
            let tables: [SQL] = [
                "SELECT FROM oob_code", "SELECT FROM phone_code", "SELECT FROM outgoing_sms",
                "SELECT FROM outgoing_email",
            ]
            return try await tables.asyncMap { try await fixture.gateway.database.pool.query($0).count }
        }
        let before = try await rows()
        for type in ["EMAIL_SIGNIN", "PASSWORD_RESET"] {
            let answer = try await fixture.gateway.sendOobCode(type, ["email": "ada@example.com"])
            #expect(answer.wireCode == "BLOCKING_FUNCTION_ERROR_RESPONSE")
        }
        let sms = try await fixture.gateway.sendCode(to: "+16135550100")
        #expect(sms.wireCode == "BLOCKING_FUNCTION_ERROR_RESPONSE", "\(sms.text)")
        #expect(try await rows() == before)
        let calls = fixture.server.calls.count
        #expect(try await fixture.gateway.update(ada.idToken, ["password": "another1"]).status == 200)
        #expect(try await !fixture.gateway.emails(.passwordChanged).isEmpty)
        #expect(fixture.server.calls.count == calls)
    }

    @Test("Tenants use the functions of their project, which learn the tenant")
    func tenants() async throws {
        let fixture = try await HookFixture()
        let created = try await fixture.gateway.post(
            "/v2/projects/demo/tenants", ["displayName": "Acme", "allowPasswordSignup": true], key: nil,
            headers: ["Authorization": "Bearer \(fixture.key.secret)"])
        let name = try #require(created.json["name"]?.string, "\(created.text)")
        let tenant = String(name.split(separator: "/").last ?? "")
        let signedUp = try await fixture.gateway.post(
            "/v1/accounts:signUp",
            ["email": "ada@example.com", "password": "secret1", "tenantId": .string(tenant)])
        #expect(signedUp.outcome == "200")
        #expect(fixture.server.events == ["beforeCreate", "beforeSignIn"])
        #expect(fixture.server.calls.allSatisfy { $0.claims["tenant_id"]?.string == tenant })
        #expect(fixture.server.calls.allSatisfy { $0.record["tenant_id"]?.string == tenant })
    }
}
