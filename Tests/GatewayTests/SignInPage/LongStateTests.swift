import HTTP
import Identity
import Postgres
import Simulators
import Testing

@testable import Support

/// The app's `state` can have 512 characters, and every form and link of a page leads back to its flow.
@Suite("A long state of an app")
struct LongStateTests {
    /// Of the longest permitted length, with characters that JSON and URLs escape.
    private static let state = String(repeating: #"x"&%"#, count: 128)

    private static func visit() async throws -> SignInPageVisit {
        SignInPageVisit(try await TestGateway.withAppleGoogleAndOpenID(#""platform": "web""#))
    }

    @Test(
        "With four remembered accounts and the longest state, the page has at most 18 KB: \"Cancel\" leads back with it",
        arguments: ["en", "ja", "ar"])
    func size(language: String) async throws {
        let visit = try await Self.visit()
        for email in ["one@example.com", "two@example.com"] {
            _ = try await visit.gateway.signUp(email: email)
            let fields = ["email": email, "password": "secret1", "remember": "on"]
            let done = try await visit.submit(visit.open(["prompt": "login"]), "signIn", fields)
            #expect(done.result != nil, "\(done.text)")
        }
        for (person, provider) in [(SimulatedPerson.mary, "apple.com"), (.grace, "google.com")] {
            let page = try await visit.follow(visit.submit(visit.open(["prompt": "login"]), "remember"))
            #expect(try await visit.signIn(person, with: provider, on: page).result != nil)
        }
        let page = try await visit.open(["prompt": "login", "state": Self.state, "hl": language])
        #expect(page.text.matches(of: #/form="forget" name="account"/#).count == 4, "\(page.text)")
        #expect(page.text.utf8.count <= 18_000)
    }

    @Test("Each result has the state: after a sign-in, over a provider, and after \"Cancel\"")
    func results() async throws {
        let visit = try await Self.visit()
        _ = try await visit.gateway.signUp(email: "ada@example.com")
        let open = { try await visit.open(["prompt": "login", "state": Self.state]) }
        let fields = ["email": "ada@example.com", "password": "secret1"]
        let wrong = try await visit.submit(open(), "signIn", fields.merging(["password": "wrong"]) { $1 })
        for result in [
            try await visit.submit(wrong, "signIn", fields).requiredResult(),
            try await visit.signIn(with: "google.com", on: open()).requiredResult(),
            try await visit.open(["prompt": "none", "state": Self.state]).requiredResult(),
        ] {
            #expect(QueryParameters(result)["state"] == Self.state, "\(result)")
        }
        let cancel = try #require(try await open().text.firstMatch(of: #/href="([^"]*error=access_denied[^"]*)"/#))
        let url = String(cancel.output.1).replacing("&amp;", with: "&")
        #expect(QueryParameters(url)["state"] == Self.state)
    }

    @Test("If the state is no longer stored, the page leads back to the app without a result")
    func lost() async throws {
        let visit = try await Self.visit()
        let page = try await visit.open(["state": Self.state])
        _ = try await visit.gateway.database.pool.execute("DELETE FROM sign_in_flow")
        let lost = try await visit.submit(page, "signIn", ["email": "ada@example.com", "password": "secret1"])
        #expect(lost.status == 400 && lost.heading == "This sign-in has expired", "\(lost.text)")
        #expect(lost.text.contains(#"href="\#(SignInPageVisit.target)""#), "\(lost.text)")
    }

    @Test("A short state is stored nowhere")
    func short() async throws {
        let visit = try await Self.visit()
        _ = try await visit.open(["state": String(repeating: "x", count: 128)])
        #expect(try await visit.gateway.database.pool.query("SELECT FROM sign_in_flow").isEmpty)
    }
}
