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
        let forms = page.text.matches(of: #/<form.*?</form>/#.dotMatchesNewlines()).map { String($0.output) }
        let form = try #require(forms.first { $0.contains(#"name="step" value="\#(step)""#) }, "\(page.text)")
        let hidden = form.matches(of: #/type="hidden" name="([^"]*)" value="([^"]*)"/#)
            .map { (String($0.output.1), String($0.output.2).replacing("&amp;", with: "&")) }
        return try await browser.send(
            .post, Self.path, form: hidden + fields,
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

    /// The link of a page that returns to the app.
    static func link(toApp scheme: String, on page: Exchange) throws -> String {
        let links = page.text.matches(of: #/href="([^"]*)"/#).map { String($0.output.1) }
        return try #require(links.first { $0.hasPrefix(scheme) }).replacing("&amp;", with: "&")
    }
}
