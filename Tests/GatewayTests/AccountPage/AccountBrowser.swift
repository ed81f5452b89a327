import Crypto
import Encoding
import FoundationEssentials
import HTTP
import Identity
import Postgres
import Testing

@testable import Support

/// A browser that is signed in on the gateway's own pages, and that submits the forms that it was shown.
struct AccountBrowser: Sendable {
    static let root = "/demo/__/auth/account"
    /// The headers that a browser sends with a form of the same page.
    static let ownForm = [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "navigate")]

    let browser: TestBrowser
    let gateway: TestGateway

    /// A browser that signs in on the sign-in page.
    init(on visit: SignInPageVisit) {
        browser = visit.browser
        gateway = visit.gateway
    }

    /// - Parameter tokens: those of the session that becomes the browser's; `nil` for a browser without a session.
    init(_ gateway: TestGateway, _ tokens: TestGateway.Tokens?) async throws {
        self.gateway = gateway
        browser = TestBrowser(gateway)
        guard let tokens else { return }
        let secret = Base64URL.encode(Random.bytes(32))
        let session = try #require(try claims(of: tokens.idToken)["sid"]?.string)
        let now = Timestamp(microsecondsSinceEpoch: gateway.clock.now.microseconds)
        _ = try await gateway.database.pool.execute(
            """
            INSERT INTO browser_session (realm_id, secret_hash, session_id, idle_seconds, expires_at, ends_at)
            VALUES ('demo', \(Digest.sha256(Array(secret.utf8))), \(session)::text::uuid, 3600,
                \(now) + interval '1 hour', \(now) + interval '12 hours')
            """)
        browser.setCookie("__Host-sekisho-browser-demo", secret)
    }

    /// A browser in which Ada, whose address is verified, has just signed in with her password.
    static func ofAda(_ gateway: TestGateway) async throws -> (browser: AccountBrowser, tokens: TestGateway.Tokens) {
        let tokens = try await gateway.signUpVerified()
        return (try await AccountBrowser(gateway, tokens), tokens)
    }

    /// Opens a part of the page.
    ///
    /// - Parameter part: the part with its query; empty for the overview.
    func open(_ part: String = "", headers: [(String, String)] = []) async throws -> Exchange {
        let isRoot = part.isEmpty || part.hasPrefix("?")
        return try await browser.send(.get, Self.root + (isRoot ? "" : "/") + part, headers: headers)
    }

    /// Submits a form of a part with its hidden fields.
    ///
    /// - Parameters:
    ///   - part: the part with its query.
    ///   - step: the hidden field `step` of the form; `nil` for the first form without it.
    ///   - values: what the user enters.
    ///   - change: changes the fields before they are sent.
    func submit(
        _ part: String, step: String? = nil, _ values: [(String, String)] = [],
        headers: [(String, String)] = AccountBrowser.ownForm,
        change: (inout [(String, String)]) -> Void = { _ in }
    ) async throws -> Exchange {
        let page = try await open(part)
        #expect(page.status == 200, "\(part): \(page.status) \(page.location ?? page.text)")
        let form = try #require(page.forms.first { $0.step == step }, "\(page.text)")
        var fields = form.hidden + values
        change(&fields)
        let path = Self.root + "/" + part.prefix { $0 != "?" }
        return try await browser.send(.post, path, form: fields, headers: headers)
    }

    /// Submits a form, and opens the page to which it leads.
    func submitAndFollow(
        _ part: String, step: String? = nil, _ values: [(String, String)] = []
    ) async throws -> Exchange {
        let response = try await submit(part, step: step, values)
        let location = try #require(response.location, "\(response.status) \(response.text)")
        #expect(response.status == 303)
        return try await follow(location)
    }

    /// Opens a path that is relative to a part.
    func follow(_ location: String) async throws -> Exchange {
        let path =
            location.hasPrefix("https://")
            ? location
            : location.hasPrefix("../") ? "/demo/__/auth/" + location.dropFirst(3) : Self.root + "/" + location
        return try await browser.send(.get, path)
    }

    /// Advances the clock, so that the login is no longer recent.
    func ageLogin() { gateway.clock.advance(by: .seconds(301)) }
}

/// A form of a page.
struct PageForm: Sendable {
    let hidden: [(String, String)]

    var step: String? { hidden.first { $0.0 == "step" }?.1 }
}

extension Exchange {
    /// The forms of a page, with their hidden fields.
    var forms: [PageForm] {
        text.matches(of: #/<form [^>]*>(.*?)<\/form>/#.dotMatchesNewlines()).map { form in
            let inputs = form.output.1.matches(of: #/<input type="hidden" name="([^"]*)" value="([^"]*)">/#)
            return PageForm(hidden: inputs.map { (String($0.output.1), String($0.output.2)) })
        }
    }

    /// The text of the page, without tags.
    var words: String {
        text.replacing(#/<style>.*?<\/style>/#, with: "").replacing(#/<[^>]*>/#, with: " ")
            .split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    }
}
