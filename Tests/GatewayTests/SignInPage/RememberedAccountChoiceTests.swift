import HTTP
import Testing

@testable import Support

@Suite("Which remembered accounts the sign-in page shows")
struct RememberedAccountChoiceTests {
    private static let heading = "Accounts on this device"

    private static func remember(
        _ visit: SignInPageVisit, _ email: String, _ more: [String: String] = [:]
    ) async throws {
        let page = try await visit.open(["prompt": "login"].merging(more) { $1 })
        let done = try await visit.submit(
            page, "signIn", ["email": email, "password": "secret1", "remember": "on"])
        #expect(done.result != nil, "\(done.text)")
    }

    @Test("Each account is forgotten 180 days after its own sign-in, whoever signs in later")
    func expiry() async throws {
        let gateway = try await TestGateway()
        for name in ["ada", "grace"] { _ = try await gateway.signUp(email: "\(name)@example.com") }
        let visit = SignInPageVisit(gateway)
        try await Self.remember(visit, "ada@example.com")
        gateway.clock.advance(by: .seconds(100 * 86_400))
        try await Self.remember(visit, "grace@example.com")
        #expect(try await visit.rememberedAccounts().text.contains("ada@example.com"))
        gateway.clock.advance(by: .seconds(80 * 86_400))
        let page = try await visit.rememberedAccounts()
        #expect(page.text.contains("grace@example.com"))
        #expect(!page.text.contains("ada@example.com"))
    }

    @Test("The accounts of a tenant are shown on its page only")
    func tenant() async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        _ = try await fixture.signUp(in: tenant)
        let visit = SignInPageVisit(fixture.gateway)
        try await Self.remember(visit, "ada@example.com", ["tenantId": tenant])
        let inTenant = try await visit.open(["prompt": "login", "tenantId": tenant])
        #expect(inTenant.text.contains(Self.heading))
        let inProject = try await visit.open(["prompt": "login"])
        #expect(inProject.status == 200)
        #expect(!inProject.text.contains(Self.heading) && !inProject.text.contains("ada@example.com"))
    }

    @Test("An app does not see an account whose method it does not offer")
    func otherMethod() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signUp(email: "ada@example.com")
        let visit = SignInPageVisit(gateway)
        try await Self.remember(visit, "ada@example.com")
        let other = SignInPageVisit(
            try await gateway.withAppSettings(#"{"platform": "web", "signInMethods": ["anonymous"]}"#))
        for (name, value) in visit.browser.cookies { other.browser.setCookie(name, value) }
        let page = try await other.open(["prompt": "login"])
        #expect(page.status == 200)
        #expect(!page.text.contains(Self.heading) && !page.text.contains("ada@example.com"))
    }
}
