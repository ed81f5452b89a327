import Crypto
import Encoding
import HTTP
import Identity
import Testing

@testable import Pages

@Suite("Styles of brands")
struct BrandStyleTests {
    @Test("The style contains the computed colours, and its hash is in the policy after those of the stylesheets")
    func style() throws {
        func sha256(_ text: String) -> String { Base64.encode(Digest.sha256(Array(text.utf8))) }
        let style = BrandStyle(try #require(RGBColor("#FFCC00")), sha256: sha256)
        let context = Page.Context(language: .english, projectName: "demo", style: style)
        let response = Page.forgotPassword(context).response()
        let html = String(decoding: response.body, as: UTF8.self)
        let text = try #require(html.matches(of: /<style>(.*?)<\/style>/).last).output.1
        #expect(text.hasPrefix(":root{--fill:#ffcc00;--on-fill:#000000;--strong:#"))
        #expect(text.contains("@media (prefers-color-scheme:dark){:root{--strong:#ffcc00}}"))
        let policy = response.headers["Content-Security-Policy"] ?? ""
        let hashes = [Stylesheet.sha256, AccountStyle.sha256, sha256(String(text))].map { "'sha256-\($0)'" }
        #expect(policy.contains("style-src \(hashes.joined(separator: " ")); "))
    }

    @Test("The cards are those of the stylesheet")
    func cards() {
        let cards = "\(Stylesheet.text)".matches(of: /--card:(#[0-9a-f]+)/).map { String($0.output.1) }
        #expect(cards == ["#fff", BrandStyle.darkCard.text])
    }
}
