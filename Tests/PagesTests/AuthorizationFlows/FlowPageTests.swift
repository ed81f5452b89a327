import Identity
import Providers
import Testing

@testable import Pages

@Suite("Pages about a failed sign-in in the browser")
struct FlowPageTests {
    private static let failures: [FlowFailure] = [
        .expired, .otherBrowser, .alreadyUsed, .domainNotAllowed, .providerUnavailable, .rejected, .cancelled,
        .notOffered, .malformed, .tooManyAttempts(minutes: 1), .tooManyAttempts(minutes: 10),
    ]

    private static func page(_ failure: FlowFailure, _ language: Language, back: Page.ReturnToApp) -> Page {
        .flowFailure(failure, back: back, retryQuery: "state=x", Page.Context(language: language, projectName: nil))
    }

    @Test("Each failure has a heading and an explanation in English and in Japanese", arguments: failures)
    func languages(failure: FlowFailure) {
        let pages = [Language.english, .japanese].map { Self.page(failure, $0, back: .none).html }
        let texts = pages.map { $0.matches(of: #/<(?:h1|p)[^>]*>([^<]+)</#).map { String($0.output.1) } }
        // U+2E80 begins the East Asian scripts; U+3040 to U+30FF are Kana.
        for (english, japanese) in zip(texts[0], texts[1]) {
            #expect(english.unicodeScalars.allSatisfy { $0.value < 0x2E80 }, "\(english)")
            #expect(japanese.unicodeScalars.contains { (0x3040...0x30FF).contains($0.value) }, "\(japanese)")
        }
        #expect(texts[0].count >= 2 && texts[0].count == texts[1].count, "a heading and an explanation")
        #expect(pages[1].contains("lang=\"ja\""))
    }

    @Test(
        "Each failure page has a link that repeats the request, and either leads back to the app or advises going back",
        arguments: failures)
    func back(failure: FlowFailure) throws {
        let realm = Realm(
            Project(
                id: ID("demo"), number: 1, profile: .sekisho, authorizedDomains: ["app.example.com"], supporting: .live),
            policy: Policy(.sekisho))
        let target = try AuthorizationTarget(page: "https://app.example.com/in", in: realm)
        let link = Self.page(failure, .english, back: .link(target, url: target.adding([(.error, "X")]))).html
        #expect(link.contains(#"href="https://app.example.com/in?error=X""#))
        let script = Self.page(failure, .english, back: .script("{}", waitsForClick: true)).html
        #expect(script.contains(#"id="back""#) && script.contains("data-delivery"))
        let none = Self.page(failure, .english, back: .none).html
        #expect(none.contains("go back to the app"))
        for page in [link, script, none] { #expect(page.contains(#"href="?state=x""#), "another try") }
    }
}
