import HTTP
import Identity
import Postgres
import Synchronization
import Testing
import Webhooks

@testable import Gateway
@testable import Support

@Suite("Blocking functions that refuse, fail or see changes")
struct HookRefusalTests {
    @Test("Every sign-in method stops at a refusal, which uses up nothing", arguments: HookedWay.asked)
    func refused(way: HookedWay) async throws {
        for event in way.events {
            let fixture = try await HookFixture()
            let request = try await way.prepare(fixture)
            fixture.server.forgetCalls()
            let before = try await fixture.stored()
            fixture.server.answer { .json($0.event == event ? .refusal : "{}", status: $0.event == event ? 403 : 200) }
            let refused = try await request()
            #expect(refused.status == 400)
            let message = refused.json["error"]?["message"]?.string ?? ""
            #expect(
                message.hasPrefix(
                    #"BLOCKING_FUNCTION_ERROR_RESPONSE : HTTP Cloud Function returned an error: {"error":{"#),
                "\(message)")
            #expect(message.contains("Only members") && !message.contains("hooks.example.com"))
            #expect(try await fixture.stored() == before)
            fixture.server.answer("{}")
            #expect(try await request().outcome == "200", "\(event)")
        }
    }

    @Test("A function that cannot be reached refuses too", arguments: HookedWay.asked)
    func unreachable(way: HookedWay) async throws {
        let fixture = try await HookFixture()
        let request = try await way.prepare(fixture)
        let before = try await fixture.stored()
        fixture.server.answer { _ in throw ClientFault.timedOut }
        #expect(try await request().status == 503)
        #expect(try await fixture.stored() == before)
    }

    @Test("An account that a function disables is stored without a session", arguments: HookedWay.asked)
    func disabled(way: HookedWay) async throws {
        let fixture = try await HookFixture(["beforeSignIn"])
        let request = try await way.prepare(fixture)
        let before = try await fixture.stored()
        fixture.server.answer(.reply("disabled", #""disabled":true"#))
        #expect(try await request().wireCode == "USER_DISABLED")
        #expect(try await fixture.stored()[1] <= before[1])
        let disabled = try await fixture.gateway.database.pool.query(
            "SELECT FROM account WHERE disabled_at IS NOT NULL")
        #expect(disabled.count == 1)
    }

    struct Change: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let calls: Int
        /// Changes all accounts.
        let statement: SQL
        var changesAgain = false
        var status = 200
    }

    @Test(
        "After a change during the call, a sign-in is decided again, and calls again only if the function sees it",
        arguments: [
            Change(testDescription: "unseen", calls: 1, statement: "UPDATE account SET initial_email = 'a@b.example'"),
            Change(testDescription: "another name", calls: 2, statement: "UPDATE account SET display_name = 'Eve'"),
            Change(
                testDescription: "another name each time", calls: 2,
                statement: "UPDATE account SET display_name = md5(random()::text)", changesAgain: true, status: 503),
            Change(
                testDescription: "disabled", calls: 1, statement: "UPDATE account SET disabled_at = created_at",
                status: 400),
        ])
    func changed(change: Change) async throws {
        // A reclaim removes the name, so that no function sees it.
        for way in HookedWay.asked
        where way.events == ["beforeSignIn"] && !way.testDescription.contains("reclaim") {
            let fixture = try await HookFixture(["beforeSignIn"])
            let request = try await way.prepare(fixture)
            fixture.server.forgetCalls()
            let (database, server) = (fixture.gateway.database, fixture.server)
            server.answer { _ in
                if change.changesAgain || server.calls.count == 1 {
                    _ = try await database.pool.execute(change.statement)
                }
                return .json(.reply("customClaims", #""customClaims":{"call":\#(server.calls.count)}"#))
            }
            let response = try await request()
            #expect(response.status == change.status, "\(way.testDescription): \(response.text)")
            #expect(server.calls.count == change.calls, "\(way.testDescription)")
            guard change.status == 200 else { continue }
            let token = try #require(response.json["idToken"]?.string)
            #expect(try claims(of: token)["call"] == .number(Double(change.calls)), "the last answer applies")
            if change.calls == 2 { #expect(server.calls.last?.record["display_name"] == "Eve") }
        }
    }

    @Test("A password that changes during the call does not sign in any more")
    func changedPassword() async throws {
        let fixture = try await HookFixture(["beforeSignIn"])
        let ada = try await fixture.gateway.signUp()
        let (gateway, server) = (fixture.gateway, fixture.server)
        server.answer { _ in
            let changed = try await gateway.update(ada.idToken, ["password": "another1"])
            #expect(changed.status == 200)
            return .json("{}")
        }
        let response = try await gateway.signIn()
        #expect(response.wireCode == "INVALID_PASSWORD", "\(response.text)")
    }

    @Test("A merge does not sign in with a credential past beforeSignIn, and keeps the claims of the session")
    func merge() async throws {
        let fixture = try await HookFixture(["beforeSignIn"])
        fixture.server.answer(.reply("sessionClaims", #""sessionClaims":{"restricted":true}"#))
        let gateway = fixture.gateway
        let target = try TestGateway.Tokens(await gateway.signIn(gateway.googleCredential()))
        let guest = try await gateway.signUpAnonymously()
        fixture.server.answer(.refusal, status: 403)
        let credential = try gateway.googleCredential()
        let refused = try await gateway.post(
            "/v1/accounts:merge",
            [
                "idToken": .string(guest.idToken), "postBody": .string(credential.postBody),
                "requestUri": "http://localhost", "dryRun": true,
            ])
        #expect(refused.wireCode == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "\(refused.text)")
        let merged = try await fixture.merge(guest, into: target)
        #expect(merged.outcome == "200")
        let token = try #require(merged.json["idToken"]?.string)
        #expect(try claims(of: token)["restricted"] == true)
    }

    @Test("A merge token that was made before the function was configured does not sign in past it")
    func earlierMergeToken() async throws {
        let fixture = try await HookFixture([])
        let gateway = fixture.gateway
        #expect(try await gateway.signIn(gateway.googleCredential()).status == 200)
        let guest = try await gateway.signUpAnonymously()
        let preview = try await gateway.post(
            "/v1/accounts:merge",
            [
                "idToken": .string(guest.idToken), "postBody": .string(gateway.googleCredential().postBody),
                "requestUri": "http://localhost", "dryRun": true,
            ])
        let mergeToken = try #require(preview.json["mergeToken"], "\(preview.text)")
        try await fixture.configure(["beforeSignIn"])
        let merged = try await gateway.post(
            "/v1/accounts:merge", ["idToken": .string(guest.idToken), "mergeToken": mergeToken])
        #expect(merged.wireCode == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "\(merged.text)")
    }

    @Test("Refusals are counted in the limit of sign-ups")
    func limit() async throws {
        let fixture = try await HookFixture(limitsRates: true) { $0.signUpLimit = 3 }
        fixture.server.answer(.refusal, status: 403)
        var codes: [String?] = []
        for number in 1...5 {
            codes.append(
                try await fixture.gateway.post(
                    "/v1/accounts:signUp", ["email": .string("u\(number)@example.com"), "password": "secret1"]
                ).wireCode)
        }
        #expect(codes.count { $0 == "TOO_MANY_ATTEMPTS_TRY_LATER" } == 2, "\(codes)")
        #expect(fixture.server.calls.count == 3)
    }

    @Test("Slow functions hold no connection and no more than 64 calls, and other sign-ins proceed")
    func slow() async throws {
        let fixture = try await HookFixture(["beforeSignIn"])
        let ada = try await fixture.gateway.signUp()
        fixture.server.forgetCalls()
        let (gateway, server) = (fixture.gateway, fixture.server)
        let isReleased = Mutex(false)
        server.answer { _ in
            while !isReleased.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
            return .json("{}")
        }
        async let statuses = concurrently(200) { _ in try await gateway.signIn().status }
        while server.calls.count < HookCircuits.concurrencyLimit { try await Task.sleep(for: .milliseconds(5)) }
        // These write while the functions are asked.
        for _ in 1...10 {
            _ = try await gateway.signUpAnonymously()
            #expect(try await gateway.refresh(ada.refreshToken).status == 200)
        }
        isReleased.withLock { $0 = true }
        let outcomes = try await statuses
        #expect(outcomes.count { $0 == 200 } >= HookCircuits.concurrencyLimit)
        #expect(outcomes.allSatisfy { $0 == 200 || $0 == 503 })
    }

    @Test("A client that is overloaded has not called the function, which stays reachable")
    func overloaded() async throws {
        let fixture = try await HookFixture(["beforeSignIn"])
        _ = try await fixture.gateway.signUp()
        fixture.server.answer { _ in throw ClientFault.overloaded }
        for _ in 1...25 { #expect(try await fixture.gateway.signIn().status == 503) }
        fixture.server.answer("{}")
        #expect(try await fixture.gateway.signIn().status == 200)
    }

    @Test("After 20 failures, a function gets one call a second, until one succeeds")
    func circuit() async throws {
        let fixture = try await HookFixture(["beforeSignIn"])
        _ = try await fixture.gateway.signUp()
        fixture.server.forgetCalls()
        fixture.server.answer { _ in throw ClientFault.unreachable }
        for _ in 1...25 { #expect(try await fixture.gateway.signIn().status == 503) }
        #expect((20...21).contains(fixture.server.calls.count))
        let metrics = try await fixture.gateway.getWithoutAPIKey("/metrics").text
        #expect(metrics.contains("sekisho_hooks_unreachable 1"))
        #expect(metrics.contains(#"sekisho_hook_calls_total{event="beforeSignIn",outcome="unavailable"} 25"#))
        fixture.server.answer("{}")
        try await Task.sleep(for: .milliseconds(1100))
        #expect(try await fixture.gateway.signIn().status == 200)
        #expect(try await fixture.gateway.signIn().status == 200)
        #expect(try await fixture.gateway.getWithoutAPIKey("/metrics").text.contains("sekisho_hooks_unreachable 0"))
    }
}
