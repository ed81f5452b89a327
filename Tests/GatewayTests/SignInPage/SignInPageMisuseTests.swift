import HTTP
import Identity
import Postgres
import Testing

@testable import Support

@Suite("Misuse of flows and codes of the sign-in page")
struct SignInPageMisuseTests {
    private static let ada = "ada@example.com"

    private static func visit() async throws -> SignInPageVisit {
        let gateway = try await TestGateway()
        _ = try await gateway.signUp(email: ada)
        return SignInPageVisit(gateway)
    }

    @Test("Another app of the project cannot exchange a code, which its own app then exchanges")
    func otherApp() async throws {
        let gateway = try await TestGateway()
        let otherKey = try await gateway.makeOtherAppKey()
        _ = try await gateway.signUp(email: Self.ada)
        let result = try await SignInPageVisit(gateway).signIn()
        let body: JSON = [
            "grant_type": "authorization_code", "code": .string(QueryParameters(result)["code"]),
            "code_verifier": .string(SignInPageVisit.verifier), "continueUri": .string(SignInPageVisit.target),
        ]
        #expect(try await gateway.post("/v1/token", body, key: otherKey).wireCode == "INVALID_CODE")
        #expect(try await gateway.post("/v1/token", body).status == 200)
    }

    @Test("After the account got a second factor, nobody continues with the browser's session, with or without a page")
    func sessionBeforeEnrolment() async throws {
        let gateway = try await TestGateway.withSecondFactors().withAppSettings(#"{"allowsSilentSignIn": true}"#)
        let account = try await gateway.signUpVerified(email: Self.ada)
        let visit = SignInPageVisit(gateway)
        _ = try await visit.signIn()
        let page = try await visit.open()
        #expect(page.text.contains(#"name="step" value="resume""#))
        _ = try await gateway.enrol(account)
        #expect(try await !visit.open().text.contains(#"name="step" value="resume""#))
        #expect(try await visit.open(["prompt": "none"]).location?.contains("error=login_required") == true)
        #expect(try await visit.submit(page, "resume").result == nil)
    }

    @Test("A flow whose app no longer lists the URL is over, and returns nowhere")
    func withdrawnURL() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signUp(email: Self.ada)
        let configurator = Configurator(gateway: gateway, serviceKey: try await ServiceKey(in: gateway))
        func authorize(_ domains: [JSON]) async throws {
            let changed = try await configurator.send(
                .patch, "config", ["authorizedDomains": .array(domains)], mask: "authorizedDomains")
            #expect(changed.status == 200, "\(changed.text)")
        }
        try await authorize(["localhost", "app.example"])
        let first = SignInPageVisit(try gateway.withFreshCaches())
        let page = try await first.open(["continueUri": "https://app.example/done"])
        #expect(page.status == 200)
        try await authorize(["localhost"])
        let visit = SignInPageVisit(try gateway.withFreshCaches())
        for (name, value) in first.browser.cookies { visit.browser.setCookie(name, value) }
        let answer = try await visit.submit(page, "signIn", ["email": Self.ada, "password": "secret1"])
        #expect(answer.status == 400 && answer.result == nil, "\(answer.text)")
        #expect(!answer.text.contains("app.example"))
    }

    @Test("A tenant that was disabled has no sign-in page, and a flow that had begun is over")
    func disabledTenant() async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        _ = try await fixture.signUp(in: tenant)
        let first = SignInPageVisit(fixture.gateway)
        let page = try await first.open(["tenantId": tenant])
        #expect(page.status == 200)
        let disabled = try await fixture.send(
            .patch, "\(TenantFixture.tenantsPath)/\(tenant)", ["disableAuth": true], [("updateMask", "disableAuth")])
        #expect(disabled.status == 200, "\(disabled.text)")
        let visit = SignInPageVisit(try fixture.gateway.withFreshCaches())
        for (name, value) in first.browser.cookies { visit.browser.setCookie(name, value) }
        let answer = try await visit.submit(page, "signIn", ["email": Self.ada, "password": "secret1"])
        #expect(answer.status == 400 && answer.heading == "This sign-in has expired", "\(answer.text)")
        #expect(try await visit.open(["tenantId": tenant]).status == 400)
    }

    @Test("Between attempts to enter a code, a reset of the password gives no new attempts")
    func attempts() async throws {
        let gateway = try await TestGateway(.sekisho) { $0.allowsEmailLinks = true }
        _ = try await gateway.signUpVerified(email: Self.ada, password: "long enough")
        let visit = SignInPageVisit(gateway)
        let page = try await visit.requestEmail(to: Self.ada)
        let code = try await visit.lastEmail().code
        for _ in 1...5 {
            #expect(try await visit.submit(page, "enterCode", ["code": "x"]).status == 400)
            let reset = try await visit.submit(page, "enterCode", ["step": "reset", "email": Self.ada])
            #expect(reset.heading == "Check your email", "\(reset.text)")
        }
        let right = try await visit.submit(page, "enterCode", ["code": code])
        #expect(right.status == 400 && right.result == nil, "\(right.text)")
    }

    @Test("The page of the sign-out accepts only its own form", arguments: ["token", "site", "script"])
    func signOut(fault: String) async throws {
        let visit = try await Self.visit()
        _ = try await visit.signIn()
        let path = "/demo/__/auth/signOut"
        let page = try await visit.browser.send(.get, path)
        let token = try #require(page.text.firstMatch(of: #/name="formToken" value="([^"]*)"/#)).output.1
        let headers =
            switch fault {
            case "site": [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")]
            case "script": [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "cors")]
            default: SignInPageVisit.formHeaders
            }
        let answer = try await visit.browser.send(
            .post, path, form: [("formToken", fault == "token" ? "AAAA" : String(token))], headers: headers)
        #expect(answer.status == 400, "\(answer.text)")
        #expect(try await visit.open().text.contains(#"name="step" value="resume""#), "the session goes on")
    }
}
