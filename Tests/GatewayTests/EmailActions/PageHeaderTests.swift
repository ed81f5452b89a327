import HTTP
import Identity
import Testing

@testable import API
@testable import Support

@Suite("Headers of pages")
struct PageHeaderTests {
    /// All pages except those of a sign-in in the browser, which have headers of their own.
    static let pages = Endpoint.all.filter { endpoint in
        endpoint.isPage && !["/auth/handler", "/auth/iframe"].contains { endpoint.path.contains($0) }
    }

    private static let shared = Task { try await ActionPageRequestTests.Fixture(.resetPassword) }

    /// Responses to three forms: one with a valid code and address, one with an invalid code and no address, and a
    /// malformed one. None of them redeems the code, because they have no new password.
    static func responses(_ endpoint: Endpoint) async throws -> [Exchange] {
        let fixture = try await shared.value
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

    @Test("Pages are not cached, and have strict policies for content and referrers", arguments: pages)
    func headers(endpoint: Endpoint) async throws {
        for response in try await Self.responses(endpoint) where response.status != 303 {
            #expect(response.headers.values(of: "Content-Type") == ["text/html; charset=utf-8"])
            #expect(response.headers.values(of: "Referrer-Policy") == ["no-referrer"])
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

    @Test("Other origins cannot read pages", arguments: pages)
    func crossOrigin(endpoint: Endpoint) async throws {
        let path = endpoint.path.replacing("{project}", with: "demo")
        let preflight = try await Self.shared.value.gateway.send(
            .options, path,
            headers: [
                "Origin": "https://app.example.com", "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "x",
            ])
        #expect(preflight.status == 204)
        for response in try await Self.responses(endpoint) + [preflight] {
            #expect(!response.headers.contains { $0.name.lowercased().hasPrefix("access-control-") })
        }
    }

    @Test("Pages contain no script and load nothing", arguments: pages)
    func selfContained(endpoint: Endpoint) async throws {
        for response in try await Self.responses(endpoint) {
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
