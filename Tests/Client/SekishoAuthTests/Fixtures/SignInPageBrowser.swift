import HTTP
import Testing

@testable import Support

/// A browser on the gateway's sign-in page.
struct SignInPageBrowser: Sendable {
    private static let path = "/demo/__/auth/signIn"

    private let browser: TestBrowser

    init(_ gateway: TestGateway) {
        browser = TestBrowser(gateway)
    }

    func open(_ url: String) async throws -> Exchange { try await browser.send(.get, url) }

    /// Submits the form of a page for a step.
    func submit(_ page: Exchange, _ step: String, _ fields: [(String, String)] = []) async throws -> Exchange {
        let form = try page.form(step).map { ($0.key, $0.value) }
        return try await browser.send(
            .post, Self.path, form: form + fields,
            headers: [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "navigate")])
    }

    /// Signs in with the password of ``TestGateway/signUp(email:)``.
    func signIn(email: String, on page: Exchange) async throws -> Exchange {
        try await submit(page, "signIn", [("email", email), ("password", "secret1")])
    }

    /// Follows the button of a provider, and signs in there.
    func signIn(with provider: String, on page: Exchange) async throws -> Exchange {
        let links = page.text.matches(of: #/href="signIn(\/provider\?[^"]*)"/#).map { String($0.output.1) }
        let link = try #require(links.first { $0.contains("providerId=\(provider)&") }, "\(page.text)")
        let started = try await open(Self.path + link.replacing("&amp;", with: "&"))
        return try await browser.signInAtProvider(opening: try #require(started.location, "\(started.text)"))
    }
}
