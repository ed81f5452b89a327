import HTTP
import Identity
import Testing

@testable import Gateway
@testable import Support

@Suite("Search for accounts in the console", .serialized)
struct ConsoleSearchTests {
    private static let path = "/console/demo/accounts"

    private static func fixture() async throws -> ConsoleFixture {
        let fixture = try await ConsoleFixture()
        let key = try await ServiceKey(id: "setup", in: fixture.gateway)
        for number in 1...51 {
            let account: JSON = [
                "displayName": .string("Robert \(number)"), "email": .string("r\(number)@example.com"),
            ]
            let created = try await fixture.gateway.send(.post, "/v1/projects/demo/accounts", account, by: key)
            #expect(created.outcome == "200")
        }
        return fixture
    }

    private static func location(_ answer: Exchange) throws -> String {
        #expect(answer.status == 303, "\(answer.text)")
        return try #require(answer.location)
    }

    @Test("The URLs of found accounts do not contain the search text", arguments: ["r7@example.com", "robert"])
    func urls(text: String) async throws {
        let fixture = try await Self.fixture()
        let ada = try await fixture.signIn(as: "viewer")
        let results = try Self.location(
            try await ada.submit(try await ada.open(Self.path), "search", ["q": text]))
        #expect(results.hasPrefix("\(Self.path)?search="))
        let page = try await ada.open(results)
        #expect(page.status == 200 && page.text.contains("r7@example.com"), "\(page.text)")
        #expect(page.text.contains("value=\"\(text)\""))
        let links = page.text.matches(of: #/ (?:href|action)="([^"]*)"/#).map { String($0.output.1) } + [results]
        for link in links {
            for part in ["robert", "r7@", "r7%40"] { #expect(!link.lowercased().contains(part), "\(link)") }
        }
        #expect(links.contains { $0.contains("pageToken=") } == (text == "robert"))
    }

    @Test("A search text in the query finds nothing")
    func plainText() async throws {
        let fixture = try await Self.fixture()
        let ada = try await fixture.signIn(as: "viewer")
        let page = try await ada.open("\(Self.path)?q=r1@example.com")
        #expect(page.text.contains("All accounts, newest first") && !page.text.contains("Found accounts"))
    }

    @Test("An encrypted search text is valid for a day in its project")
    func expiry() async throws {
        let fixture = try await Self.fixture()
        let ada = try await fixture.signIn(as: "owner")
        let results = try Self.location(
            try await ada.submit(try await ada.open(Self.path), "search", ["q": "r7@example.com"]))
        let other = try await ada.open(results.replacing("/demo/", with: "/other/"))
        #expect(other.text.contains("This search has expired.") && !other.text.contains("r7@example.com"))
        fixture.gateway.clock.advance(by: .seconds(24 * 3600))
        try await ada.confirm()
        let late = try await ada.open(results)
        #expect(late.text.contains("This search has expired.") && !late.text.contains("r7@example.com"))
    }

    @Test("A search needs the form of the session, and at most 254 characters")
    func form() async throws {
        let fixture = try await Self.fixture()
        let (ada, eve) = (
            try await fixture.signIn(as: "viewer"), try await fixture.signIn("eve@example.com", as: "viewer")
        )
        let page = try await ada.open(Self.path)
        #expect(try await eve.submit(page, "search", ["q": "robert"]).status == 403)
        let long = try await ada.submit(page, "search", ["q": String(repeating: "a", count: 255)])
        #expect(long.status == 400 && long.text.contains("more than 254 characters"))
        #expect(try Self.location(try await ada.submit(page, "search", ["q": " "])) == Self.path)
    }
}
