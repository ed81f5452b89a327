import HTTP
import Identity
import Postgres
import Simulators
import Storage
import Testing

@testable import Support

/// A flow is a sign-in in the browser. Its grant is the secret in the URL to which the browser returns.
@Suite("Limits and cleanup of sign-ins in the browser", .serialized)
struct FlowLimitTests {
    @Test("A HEAD request, as link checkers send it, has no effect", arguments: ["google.com", "oidc.corp"])
    func head(provider: String) async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let flow = try await gateway.startFlow(provider)
        let url = try await TestBrowser(gateway).responseURL(.mary, at: flow.authURI)
        for _ in 0..<2 {
            let checked = try await TestBrowser(gateway).send(.head, url)
            #expect(checked.status == 200)
            #expect(checked.location == nil && checked.text.isEmpty)
        }
        #expect(gateway.tokenRequestCount == 0)
        let handler = try await TestBrowser(gateway).send(.head, TestGateway.handlerURL(provider))
        #expect(handler.headers["Set-Cookie"] == nil && handler.location == nil)
        let location = try #require(try await TestBrowser(gateway).send(.get, url).location)
        #expect(try await flow.signIn(at: location).outcome == "200")
    }

    @Test("A rate limit applies to the requests by which one network returns to the handler, by POST and by GET")
    func responses() async throws {
        for method in [HTTP.Method.post, .get] {
            let gateway = try await TestGateway(limitsRates: true, servesApple: true)
                .withAppSettings(#"{"bundleIds": ["com.example.app"]}"#)
            let flow = try await gateway.startFlow("apple.com")
            let form = try gateway.appleForm(of: .mary, for: flow.authURI)
            let browser = TestBrowser(gateway)
            var last = try await browser.send(.post, "/__/auth/handler", form: form)
            #expect(last.status == 303)
            let returnURL = "/__/auth/handler?state=" + QueryParameters(flow.authURI)["state"]
            for _ in 0..<Policy.authorizationFlowLimit where last.status != 429 {
                last = try await browser.send(
                    method, method == .get ? returnURL : "/__/auth/handler", form: method == .get ? nil : form)
            }
            #expect(last.status == 429)
            #expect(last.heading == "Too many attempts")
            #expect(last.headers["Retry-After"] != nil)
        }
    }

    @Test(
        "The janitor removes the provider's tokens soon after the grant expires, and the row after the `state` expires")
    func expiredRows() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let flow = try await gateway.startFlow("google.com")
        let url = try await TestBrowser(gateway).responseURL(.mary, at: flow.authURI)
        let rejectedFlow = try await gateway.startFlow("apple.com")
        #expect(try await TestBrowser(gateway).send(.get, url).status == 303)
        let failed = try await TestBrowser(gateway).signInAtProvider(opening: rejectedFlow.authURI) { form in
            form = form.map { $0.0 == "code" ? ("code", "unknown") : $0 }
        }
        #expect(failed.status == 400)
        #expect(
            try await gateway.flowRows() == ["claimed", "claimed result"],
            "the response that the provider rejected is not stored")
        let janitor = Janitor(pool: gateway.database.pool)
        // The grant expires after 60 seconds, and the result is kept for another 60 seconds.
        gateway.clock.advance(by: .seconds(119))
        _ = try await janitor.remove(.authorizationFlow, at: gateway.clock.now)
        #expect(try await gateway.flowRows() == ["claimed", "claimed result"])
        gateway.clock.advance(by: .seconds(2))
        _ = try await janitor.remove(.authorizationFlow, at: gateway.clock.now)
        #expect(try await gateway.flowRows() == ["claimed", "claimed"])
        let replay = try await TestBrowser(gateway).send(.get, url)
        #expect(replay.heading == "This sign-in is already finished", "the `state` cannot be used again")
        // The state expires after 600 seconds. The row is kept for another 300, because clocks of replicas may differ.
        gateway.clock.advance(by: .seconds(600 + 300))
        #expect(try await janitor.remove(.authorizationFlow, at: gateway.clock.now) == 2)
        #expect(try await gateway.flowRows().isEmpty)
    }
}

extension TestGateway {
    /// For each stored flow: whether a response claimed it, and whether the response and the result are stored.
    fileprivate func flowRows() async throws -> [String] {
        try await database.pool.query(
            """
            SELECT concat_ws(' ', CASE WHEN claimed_at IS NOT NULL THEN 'claimed' END,
                CASE WHEN response IS NOT NULL THEN 'response' END, CASE WHEN result IS NOT NULL THEN 'result' END) AS line
            FROM authorization_flow ORDER BY line
            """
        ).map { try $0.decode("line") }
    }
}
