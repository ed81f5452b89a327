import Crypto
import FoundationEssentials
import Glibc
import HTTP
import Identity
import Testing

@testable import Pages

@Suite("Stylesheet and scripts of pages")
struct PageStyleTests {
    @Test("The declared hash of a style is the SHA-256 digest of its text")
    func stylesheet() {
        for (style, hash) in [
            (Stylesheet.text, Stylesheet.sha256), (AccountStyle.text, AccountStyle.sha256),
            (ProviderStyle.text, ProviderStyle.sha256),
        ] {
            let text = "\(style)"
            #expect(hash == Data(Digest.sha256(Array(text.utf8))).base64EncodedString())
            #expect(!text.contains { "<>&\n".contains($0) })
        }
    }

    @Test(
        "The declared hash of a script is the SHA-256 digest of its text",
        arguments: [PageScript.delivery, .sdkFrame, .passkeys])
    func scripts(script: PageScript) {
        #expect(script.sha256 == Data(Digest.sha256(Array("\(script.text)".utf8))).base64EncodedString())
    }

    @Test("The SDK's frame accepts events only from its own origin, and the result page sends events only to its own")
    func frameScript() {
        let frame = "\(PageScript.sdkFrame.text)"
        #expect(frame.contains("if(e.origin!==location.origin||"))
        #expect("\(PageScript.delivery.text)".contains("postMessage(message,location.origin)"))
        #expect(!frame.contains(#""*""#) && !"\(PageScript.delivery.text)".contains(#""*""#))
    }

    @Test(
        "The declared hash of the style of a language is the SHA-256 digest of its text", arguments: Language.allCases)
    func language(language: Language) {
        guard let style = LanguageStyle(language) else { return }
        #expect(style.sha256 == Data(Digest.sha256(Array("\(style.text)".utf8))).base64EncodedString())
        #expect(!"\(style.text)".contains { "<>&\n".contains($0) })
    }

    @Test(
        "A page has the style of its own language only, and its policy allows it", arguments: Language.allCases)
    func ownLanguage(language: Language) {
        let page = Page.forgotPassword(Page.Context(language: language, projectName: nil))
        let policy = page.response().headers["Content-Security-Policy"] ?? ""
        for other in Language.allCases {
            guard let style = LanguageStyle(other) else { continue }
            #expect(page.html.contains("<style>\(style.text)</style>") == (other == language))
            #expect(policy.contains(" 'sha256-\(style.sha256)'") == (other == language))
        }
    }

    @Test("Only Japanese pages name Japanese fonts, because Chinese characters have other shapes in Chinese")
    func fonts() {
        for language in Language.allCases {
            let page = Page.forgotPassword(Page.Context(language: language, projectName: nil)).html
            #expect((page.contains("Hiragino") || page.contains(" JP")) == (language == .japanese))
        }
    }

    @Test("Text has a contrast of at least 7:1 and borders of at least 3:1, in the light and in the dark colours")
    func contrast() throws {
        let palettes = "\(Stylesheet.text)".matches(of: #/:root\{([^}]*--card:[^}]*)\}/#).map { String($0.output.1) }
        try #require(palettes.count == 2)
        for palette in palettes {
            let colours = Dictionary(
                uniqueKeysWithValues: palette.matches(of: /--([a-z-]+):#([0-9a-f]+)/).map {
                    (String($0.output.1), Self.luminance(String($0.output.2)))
                })
            func contrast(_ a: String, _ b: String) throws -> Double {
                let pair = [try #require(colours[a]), try #require(colours[b])].sorted()
                return (pair[1] + 0.05) / (pair[0] + 0.05)
            }
            for text in ["text", "soft", "strong", "wrong"] { #expect(try contrast(text, "card") >= 7, "\(text)") }
            #expect(try contrast("on-strong", "strong") >= 7)
            #expect(try contrast("line", "card") >= 3)
        }
    }

    /// WCAG 2.2, relative luminance.
    private static func luminance(_ hexadecimal: String) -> Double {
        let digits = hexadecimal.count == 3 ? hexadecimal.map { "\($0)\($0)" }.joined() : hexadecimal
        let number = Int(digits, radix: 16) ?? 0
        let parts = [number >> 16, number >> 8 & 255, number & 255].map { (part: Int) -> Double in
            let value = Double(part) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }
}
