import HTTP
import Identity
import Postgres
import Testing

@testable import Support

@Suite("The app of a session")
struct SessionAppTests {
    /// The apps of the account's sessions, as the user sees them, the latest login first.
    private static func apps(_ gateway: TestGateway, _ idToken: String) async throws -> [[JSON?]] {
        let listed = try await gateway.post("/v1/accounts:listSessions", ["idToken": .string(idToken)])
        return (listed.json["sessions"]?.elements ?? []).map { [$0["appId"], $0["appDisplayName"]] }
    }

    private static let signIn: JSON = ["email": "ada@example.com", "password": "secret1", "returnSecureToken": true]

    @Test("A session has the app of the API key, and keeps it through refreshes and changes by another app")
    func apiKey() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        gateway.clock.advance(by: .seconds(1))
        let key = try await gateway.makeOtherAppKey()
        let other = try TestGateway.Tokens(
            await gateway.withFreshCaches().post("/v1/accounts:signInWithPassword", Self.signIn, key: key))
        #expect(try await gateway.refresh(ada.refreshToken).status == 200)
        let fresh = try gateway.withFreshCaches()
        #expect(try await Self.apps(fresh, ada.idToken) == [["other", "Other"], ["default", "default"]])
        let renewed = try await fresh.update(other.idToken, ["displayName": "Ada"])
        #expect(renewed.status == 200)
        #expect(try await Self.apps(fresh, ada.idToken) == [["other", "Other"], ["default", "default"]])
        let brand = #"{"brand": {"name": "Acme Maps"}}"#
        _ = try await gateway.database.pool.execute(
            "UPDATE app SET settings = settings || \(brand)::jsonb WHERE id = 'other'")
        #expect(
            try await Self.apps(gateway.withFreshCaches(), ada.idToken)
                == [["other", "Acme Maps"], ["default", "default"]])
    }

    @Test("Guests that sign up in one batch each have the app of their key")
    func batch() async throws {
        let gateway = try await TestGateway()
        let key = try await gateway.makeOtherAppKey()
        let fresh = try gateway.withFreshCaches()
        let guests = try await concurrently(20) { number in
            let isOther = number % 2 == 0
            let guest = try TestGateway.Tokens(
                await fresh.post("/v1/accounts:signUp", key: isOther ? key : TestGateway.apiKey))
            return (guest, isOther)
        }
        for (guest, isOther) in guests {
            #expect(try await Self.apps(fresh, guest.idToken).map { $0[0] } == [isOther ? "other" : "default"])
        }
    }

    @Test("A session of the sign-in page and the session of the app have the app of the page")
    func signInPage() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        let visit = SignInPageVisit(gateway)
        gateway.clock.advance(by: .seconds(1))
        let session = try await visit.exchange(visit.signIn())
        #expect(session.status == 200, "\(session.text)")
        #expect(
            try await Self.apps(gateway, ada.idToken) == Array(repeating: ["default", "default"], count: 3))
    }

    @Test("The account page names the app of each device, and the browser keeps its app after a change of the password")
    func accountPage() async throws {
        let gateway = try await TestGateway()
        let tokens = try await gateway.signUpVerified()
        _ = try await gateway.database.pool.execute("UPDATE app SET name = 'Acme <Maps>' WHERE id = 'default'")
        let fresh = try gateway.withFreshCaches()
        let browser = try await AccountBrowser(fresh, tokens)
        #expect(try await browser.open("devices").text.contains("<dt>App</dt><dd><bdi>Acme &lt;Maps&gt;</bdi></dd>"))
        #expect(try await browser.submit("password", [("newPassword", "another secret")]).status == 303)
        #expect(try await browser.open("devices").text.contains("<dt>App</dt><dd><bdi>Acme &lt;Maps&gt;</bdi></dd>"))
    }

    @Test("A session of an unknown app, and one of a deleted app, are listed without its name")
    func unknown() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        _ = try await gateway.database.pool.execute("UPDATE session SET app_id = 'deleted'")
        #expect(try await Self.apps(gateway, ada.idToken) == [["deleted", nil]])
        _ = try await gateway.database.pool.execute("UPDATE session SET app_id = NULL")
        #expect(try await Self.apps(gateway, ada.idToken) == [[nil, nil]])
        let browser = try await AccountBrowser(gateway, ada)
        #expect(try await !browser.open("devices").text.contains("<dt>App</dt>"))
    }
}
