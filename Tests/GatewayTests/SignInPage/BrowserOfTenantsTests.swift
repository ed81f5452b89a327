import HTTP
import Testing

@testable import Support

@Suite("A browser that signs in to a project and to its tenants")
struct BrowserOfTenantsTests {
    private static let cookie = "__Host-sekisho-browser-demo"

    @Test(
        "A sign-in ends the browser's former session, also that of another tenant or of the project",
        arguments: [(false, true), (true, false), (true, true)])
    func replacement(fromTenant: Bool, toTenant: Bool) async throws {
        let fixture = try await TenantFixture()
        let first = fromTenant ? try await fixture.makeTenant() : nil
        let second = toTenant ? try await fixture.makeTenant() : nil
        for tenant in [first, second] { _ = try await fixture.signUp(in: tenant) }
        let visit = SignInPageVisit(fixture.gateway)
        _ = try await visit.signIn(["tenantId": first ?? ""])
        let other = SignInPageVisit(fixture.gateway)
        other.browser.setCookie(Self.cookie, try #require(visit.browser.cookies[Self.cookie]))
        let continued = #"name="step" value="resume""#
        #expect(try await other.open(["tenantId": first ?? ""]).text.contains(continued))
        _ = try await visit.signIn(["tenantId": second ?? "", "prompt": "login"])
        #expect(try await !other.open(["tenantId": first ?? ""]).text.contains(continued))
        #expect(try await visit.open(["tenantId": second ?? ""]).text.contains(continued))
    }
}
