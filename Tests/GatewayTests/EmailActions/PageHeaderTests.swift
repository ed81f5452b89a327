import HTTP
import Identity
import Testing

@testable import API
@testable import Support

@Suite("Headers of pages")
struct PageHeaderTests {
    /// The operations that return pages, except images and the pages of a sign-in in the browser, which have other
    /// headers.
    static let pageOperations = Endpoint.all.filter { endpoint in
        endpoint.isPage && !["/auth/handler", "/auth/iframe", "/auth/assets"].contains { endpoint.path.contains($0) }
    }

    /// Forms of pages with a session need the header `Origin`, which browsers send as `null` with `no-referrer`. A page
    /// of an emailed link has a code in its URL.
    private static func referrerPolicy(of endpoint: Endpoint) -> String {
        ["/auth/signIn", "/auth/signOut", "/auth/account"].contains { endpoint.path.contains($0) }
            ? "same-origin" : "no-referrer"
    }

    private static let sharedFixture = Task { try await ActionPageRequestTests.Fixture(.resetPassword) }

    /// Responses of an operation to three requests. A POST request has a form: the first has a valid code and address,
    /// the second an invalid code and no address, and the third is malformed. None of the forms redeems the code,
    /// because they have no new password.
    static func responses(of endpoint: Endpoint) async throws -> [Exchange] {
        let fixture = try await sharedFixture.value
        let path = endpoint.path.replacing("{project}", with: "demo")
        var responses: [Exchange] = []
        for body in ["oobCode=\(fixture.code)&email=ada@example.com", "oobCode=bad&email=", "%"] {
            responses.append(
                try await fixture.gateway.send(
                    endpoint.method, path, query: [("oobCode", fixture.code)],
                    headers: [
                        "Content-Type": "application/x-www-form-urlencoded", "Origin": "https://app.example.com",
                    ],
                    text: endpoint.method == .post ? body : ""))
        }
        return responses
    }

    @Test("Pages must not be cached, and have strict policies for content and referrers", arguments: pageOperations)
    func headers(endpoint: Endpoint) async throws {
        for response in try await Self.responses(of: endpoint) where response.status != 303 {
            #expect(response.headers.values(of: "Content-Type") == ["text/html; charset=utf-8"])
            #expect(response.headers.values(of: "Referrer-Policy") == [Self.referrerPolicy(of: endpoint)])
            #expect(response.headers.values(of: "Cache-Control") == ["no-store"])
            #expect(response.headers.values(of: "X-Content-Type-Options") == ["nosniff"])
            #expect(response.headers.values(of: "Cross-Origin-Opener-Policy") == ["same-origin"])
            let policy = try #require(response.headers["Content-Security-Policy"])
            let directives = policy.split(separator: "; ")
            #expect(directives.prefix(1) == ["default-src 'none'"])
            #expect(directives.dropFirst(2) == ["form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
            #expect(policy.firstMatch(of: #/style-src 'sha256-[A-Za-z0-9+\/]{43}='/#) != nil)
            #expect(!policy.contains("unsafe"))
        }
    }

    @Test("Other origins cannot read pages", arguments: pageOperations)
    func crossOrigin(endpoint: Endpoint) async throws {
        let path = endpoint.path.replacing("{project}", with: "demo")
        let preflight = try await Self.sharedFixture.value.gateway.send(
            .options, path,
            headers: [
                "Origin": "https://app.example.com", "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "x",
            ])
        #expect(preflight.status == 204)
        for response in try await Self.responses(of: endpoint) + [preflight] {
            #expect(!response.headers.contains { $0.name.lowercased().hasPrefix("access-control-") })
        }
    }

    @Test("Pages contain no script and load nothing", arguments: pageOperations)
    func selfContained(endpoint: Endpoint) async throws {
        for response in try await Self.responses(of: endpoint) {
            let text = response.text.lowercased()
            for word in ["<script", "src=", "<link", "<img", "<iframe", "@import", "url(", " style=", " on"] {
                #expect(!Self.markup(text).contains(word), "\(word)")
            }
        }
    }

    /// The tags and the stylesheet, without the text of the page.
    private static func markup(_ text: String) -> String {
        text.matches(of: #/<style>.*?</style>|<[^>]*>/#).map { String($0.output) }.joined()
    }
}
