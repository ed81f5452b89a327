import Crypto
import Encoding
import HTTP
import Testing

@testable import Support

/// An app, and a browser on the sign-in page.
struct SignInPageVisit: Sendable {
    static let verifier = String(repeating: "v", count: 43)
    /// base64url(sha256(``verifier``)).
    static let challenge = Base64URL.encode(Digest.sha256(Array(verifier.utf8)))
    static let target = "https://localhost/done"
    static let path = "/demo/__/auth/signIn"

    let browser: TestBrowser
    var gateway: TestGateway { browser.gateway }

    init(_ gateway: TestGateway) {
        browser = TestBrowser(gateway)
    }

    /// The parameters of a request, of which `change` replaces some; an empty value removes one.
    static func parameters(_ change: [String: String] = [:]) -> [(String, String)] {
        let all = [
            "app": "default", "continueUri": target, "state": "st&te", "code_challenge": challenge,
            "code_challenge_method": "S256",
        ].merging(change) { $1 }
        return all.filter { !$0.value.isEmpty }.map { ($0.key, $0.value) }
    }

    static func url(_ change: [String: String] = [:]) -> String {
        path + "?" + PercentEncoding.encode(form: parameters(change))
    }

    func open(_ change: [String: String] = [:]) async throws -> Exchange {
        try await browser.send(.get, Self.url(change))
    }

    /// The header fields that a browser sends with a form of the page.
    static let formHeaders = [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "navigate")]

    func follow(_ redirect: Exchange) async throws -> Exchange {
        try await browser.send(.get, try #require(redirect.location, "\(redirect.status) \(redirect.text)"))
    }

    /// Submits the form of a page for a step.
    func submit(
        _ page: Exchange, _ step: String, _ fields: [String: String] = [:],
        headers: [(String, String)] = SignInPageVisit.formHeaders
    ) async throws -> Exchange {
        let form = try page.form(step).merging(fields) { $1 }
        return try await browser.send(.post, Self.path, form: form.map { ($0.key, $0.value) }, headers: headers)
    }

    /// Exchanges the code of a result.
    func exchange(
        _ result: String, _ change: [String: String] = [:]
    ) async throws -> Exchange {
        let form = [
            "grant_type": "authorization_code", "code": QueryParameters(result)["code"], "code_verifier": Self.verifier,
            "continue_uri": Self.target,
        ].merging(change) { $1 }
        return try await gateway.send(
            .post, "/v1/token", body: Array(PercentEncoding.encode(form: form.map { ($0.key, $0.value) }).utf8),
            query: [("key", TestGateway.apiKey)], headers: ["Content-Type": "application/x-www-form-urlencoded"])
    }

    /// Signs in with the password of ``TestGateway/signUp(email:)``, and returns the URL of the app with the code.
    func signIn(_ change: [String: String] = [:], email: String = "ada@example.com") async throws -> String {
        let page = try await open(change)
        return try await submit(page, "signIn", ["email": email, "password": "secret1"]).requiredResult()
    }
}

extension Exchange {
    /// The URL of the app to which the page returns.
    var result: String? {
        location
            ?? text.firstMatch(of: #/http-equiv="refresh" content="0;url=([^"]*)"/#).map {
                String($0.output.1).unescaped
            }
    }

    func requiredResult() throws -> String { try #require(result, "\(status) \(text)") }
}
