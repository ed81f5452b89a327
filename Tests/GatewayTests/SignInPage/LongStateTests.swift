import HTTP
import Identity
import Postgres
import Testing

@testable import Support

/// The app's `state` can have 512 characters, and every form and link of a page leads back to its flow.
@Suite("A long state of an app")
struct LongStateTests {
    /// Of the longest permitted length, with characters that JSON and URLs escape.
    static let state = String(repeating: #"x"&%"#, count: 128)

    private static func visit() async throws -> SignInPageVisit {
        SignInPageVisit(try await TestGateway.withAppleGoogleAndOpenID(#""platform": "web""#))
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
            try await visit.submit(open(), "cancel").requiredResult(),
        ] {
            #expect(QueryParameters(result)["state"] == Self.state, "\(result)")
        }
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
        _ = try await visit.open(["state": String(repeating: "x", count: 43)])
        #expect(try await visit.gateway.database.pool.query("SELECT FROM sign_in_flow").isEmpty)
    }
}
