import HTTP
import Identity
import JSON
import Postgres
import Testing

@testable import Support

/// An app and its brand belong to one project, and a visit belongs to one app.
@Suite("Apps and requests of other projects on the sign-in page")
struct ForeignAppTests {
    /// A gateway whose default app has a brand, with another app, and with another project.
    private static func visit() async throws -> SignInPageVisit {
        let configurator = try await Configurator()
        let brand: JSON = ["brand": ["name": "Acme Go"]]
        #expect(try await configurator.send(.patch, "apps/default", brand, mask: "brand").outcome == "200")
        let gateway = configurator.gateway
        _ = try await gateway.makeOtherAppKey()
        _ = try await gateway.database.pool.execute(
            "UPDATE app SET settings = settings - 'brand' WHERE id = 'other'")
        try await gateway.makeOtherProject()
        _ = try await gateway.database.pool.execute(
            """
            INSERT INTO app (project_id, id, name, settings, created_at)
            SELECT 'other', 'rival', 'Rival', settings, created_at FROM app WHERE id = 'default' AND project_id = 'demo'
            """)
        return SignInPageVisit(try gateway.withFreshCaches())
    }

    @Test(
        "An unknown app, one of another project and a built-in app are sent nothing, and lend the page no brand",
        arguments: ["rival", "unknown", "account", "console"])
    func foreignApp(app: String) async throws {
        let visit = try await Self.visit()
        let page = try await visit.open(["app": app])
        #expect(page.status == 400)
        #expect(page.result == nil)
        #expect(!page.text.contains("Acme Go"))
    }

    @Test("A visit keeps the app and the brand of its beginning, whatever the URL adds")
    func otherAppOfProject() async throws {
        let visit = try await Self.visit()
        #expect(try await visit.open().text.contains("Acme Go"))
        let page = try await visit.open(["app": "other"])
        #expect(page.status == 200, "\(page.text)")
        #expect(!page.text.contains("Acme Go"))
        let flow = try #require(try page.form("signIn")["flow"])
        let changed = try await visit.browser.send(.get, SignInPageVisit.path + "?flow=\(flow)&app=default")
        #expect(changed.status == 200)
        #expect(!changed.text.contains("Acme Go"))
    }

    @Test("A sealed flow is worth nothing at another project, and is no sealed request")
    func foreignFlow() async throws {
        let visit = try await Self.visit()
        let flow = try #require(try await visit.open().form("signIn")["flow"])
        for path in ["/other/__/auth/signIn?flow=\(flow)", "/demo/__/auth/signIn?request=\(flow)"] {
            let page = try await visit.browser.send(.get, path)
            #expect(page.status == 400)
            #expect(page.heading == "This sign-in has expired")
            #expect(!page.text.contains("Acme Go"))
        }
    }
}
