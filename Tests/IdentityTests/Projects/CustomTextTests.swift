import Testing

@testable import Identity

@Suite("Texts of a project")
struct CustomTextTests {
    @Test(
        "A text in plain words is accepted",
        arguments: [
            "Confirm your address for {app}.", "{app}", "Willkommen bei {app}! Noch Fragen? Wir helfen gern.",
            "確認します。{app}へようこそ。次へ", "مرحبًا بك في {app}.", "z.B. um 18:30 Uhr, d.h. um 6.30 p.m., Nr.12", "1.5 GB",
            "Tom & Jerry's <App> \"quoted\"", "Press the button: it opens {app}", "At Acme @ Berlin", "Done.", "❤️ 👋",
            "Done.👋🎉", "“Done.” Next", "Version 1.2.3", "नमस्ते. स्वागत है.", "Cafe\u{301}. Bar",
        ])
    func accepted(text: String) {
        #expect(CustomText.verifyEmail.accepts(text))
    }

    @Test(
        "A text that mail programs show with a link is rejected, even if a placeholder completes it",
        arguments: [
            "https://evil.example", "HTTPS://EVIL", "Go to evil.example now", "evil.example", "www.evil",
            "EVIL.EXAMPLE",
            "javascript:alert(1)", "Call tel:+15550100", "mail help@evil.example", "help@localhost", "mailto:help",
            "evil.{app}", "{app}.evil",
            "пример.рф", "例え．テスト", "evil。example", "evil｡example", "evil․example", "a.xn--p1ai",
            "Sign in.Now", "help＠evil",
            // Variation selectors, marks and emoji around the dot, the at sign and the colon.
            "evil\u{FE0F}.com", "evil.\u{FE0F}com", "evil.c\u{FE0F}om", "evil\u{FE0F}.\u{FE0F}com/login",
            "me\u{FE0F}@\u{FE0F}evil", "me@\u{301}evil", "www\u{FE0F}.evil", "https:\u{FE0F}//evil",
            "javascript\u{FE0F}:alert(1)", "paypal\u{301}.com", "paypal.\u{301}com", "paypal.c\u{301}om", "❤.ws/x",
            "❤️.ws", "192.168.1.1/login", "http 10.0.0.1", "１９２．168.1.1",
        ])
    func links(text: String) {
        #expect(!CustomText.verifyEmail.accepts(text), "\(text)")
    }

    @Test(
        "A text with an unknown placeholder, or with characters that are not shown, is rejected",
        arguments: [
            "", " ", "{user}", "{app", "app}", "{{app}}", "{ app }", "{app, plural, other {x}}", "two\nlines", "a\u{0}",
            "evil\u{200B}.example", "a\u{202E}b", "a\u{2028}b", "a\u{FEFF}b", "a\u{AD}b", "a\u{E000}b", "a\u{2066}b",
        ])
    func characters(text: String) {
        #expect(!CustomText.verifyEmail.accepts(text))
    }

    @Test("Each text has a maximum length", arguments: CustomText.allCases)
    func length(key: CustomText) {
        let limit = key.length.upperBound
        #expect(key.accepts(String(repeating: "あ", count: limit)))
        #expect(!key.accepts(String(repeating: "あ", count: limit + 1)))
        #expect(limit <= 2000)
    }

    @Test("An invalid text is a problem of the configuration")
    func problems() {
        let texts = CustomTexts([
            .signInHelp: [.german: "evil.example", .english: "Fine"], .signInTitle: [.japanese: ""],
        ])
        #expect(texts.problems == [.customText(.signInTitle, .japanese), .customText(.signInHelp, .german)])
    }
}
