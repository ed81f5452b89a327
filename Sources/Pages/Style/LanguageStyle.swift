internal import HTML
internal import Identity

/// The rules for the pages of one language: fonts and the breaks of lines. They follow the ``Stylesheet``, and a page
/// in another language does not contain them.
struct LanguageStyle: Sendable {
    /// As ``Stylesheet/text``.
    let text: StaticString
    /// SHA-256 of ``text`` in base64.
    let sha256: String
}

extension LanguageStyle {
    /// - Returns: `nil` for a language without rules of its own.
    init?(_ language: Language) {
        switch language {
        case .japanese:
            self.init(
                text: """
                    body{font-family:system-ui,"Segoe UI",Roboto,"Hiragino Sans",\
                    "Noto Sans CJK JP",sans-serif}h1,h2{word-break:auto-phrase}
                    """,
                sha256: "1EQl0MMWiOQoZROMIwPZ3ykvDhLm4GYw+gKxlhK2VCo=")
        case .german:
            self.init(
                text: """
                    h1,h2,button,.button{-webkit-hyphens:auto;hyphens:auto;hyphenate-limit-chars:14 5 5}
                    """,
                sha256: "+oqiUnSWcSt34099LUA1Pe35mP7MiLdgABcsOHZZNos=")
        case .korean:
            self.init(
                text: """
                    body{word-break:keep-all}
                    """,
                sha256: "7FusoA21ddtCLG5Q7XyxzXK0E/qTL+XgXo5Ju4i5CJU=")
        case .simplifiedChinese:
            self.init(
                text: """
                    body{font-family:system-ui,"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif}
                    """,
                sha256: "NVf1laO77LD5FV9NA4gJptFiQEzZ0hlm4RyvBb+/F1E=")
        case .traditionalChinese:
            self.init(
                text: """
                    body{font-family:system-ui,"PingFang TC","Microsoft JhengHei",\
                    "Noto Sans CJK TC",sans-serif}
                    """,
                sha256: "fTcsa2KzusZJMu9W2ReRHGCUyGMc/1HLs99Ybqh1Oxk=")
        case .english, .french, .spanish, .portuguese, .italian, .arabic, .indonesian, .accentedEnglish,
            .mirroredEnglish:
            return nil
        }
    }

    var markup: Markup { .style(text) }
}
