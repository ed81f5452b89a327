internal import HTML
internal import Identity

/// Lays out ``EmailTexts`` as plain text and as HTML. The HTML is readable without its styles, and loads nothing from a
/// server.
struct EmailLayout {
    let text: String
    let html: String

    /// - Parameter links: the URLs of the links, in the order of their labels.
    init(_ texts: EmailTexts, links: [String], _ brand: EmailBrand, language: Language) {
        let labelledLinks = Array(zip(texts.linkLabels, links))
        let code = [texts.code].compactMap(\.self)
        let parts = [texts.paragraphs, code, labelledLinks.map { "\($0)\n\($1)" }, texts.advice, [brand.footerText]]
            .joined()
        text = parts.joined(separator: "\n\n") + "\n"
        let content =
            [brand.header, Markup(.h1, [.style("font-size:20px;line-height:1.4")], text: texts.subject)]
            + texts.paragraphs.map { Markup(.p, text: $0) }
            + code.map { Markup(.p, [.style("font-size:28px;letter-spacing:4px;margin:16px 0")], text: $0) }
            + labelledLinks.flatMap { Self.link($0, $1, texts.buttonFallback) }
            + texts.advice.map { Markup(.p, text: $0) } + [brand.footer]
        html = Markup.document(
            language: language.rawValue, isRightToLeft: language.isRightToLeft,
            head: [
                .void(.meta, [.name("viewport"), .content("width=device-width, initial-scale=1")]),
                .void(.meta, [.name("color-scheme"), .content("light dark")]),
                .void(.meta, [.name("supported-color-schemes"), .content("light dark")]),
                Markup(.title, text: texts.subject), brand.style,
            ],
            body: Markup(
                .body, [.style("margin:0;padding:24px;background:#ffffff;color:#1a1a1a;font:16px/1.6 sans-serif")],
                [Markup(.main, [.style("max-width:36em;margin:0 auto")], content.flatMap { [$0, .newline] })]))
    }

    /// Returns a button, and below it the URL as text.
    private static func link(_ label: String, _ link: String, _ buttonFallback: String) -> [Markup] {
        let button: StaticString = """
            display:inline-block;padding:12px 20px;background:#1a4fb4;color:#ffffff;text-decoration:none;border-radius:6px;\
            border:2px solid #1a4fb4
            """
        let url = URLReference(link)
        return [
            Markup(.p, [Markup(.a, [.href(url), .classes(["button"]), .style(button)], text: label)]),
            Markup(
                .p,
                [
                    .text(buttonFallback), .void(.br),
                    Markup(
                        .a, [.href(url), .classes(["link"]), .style("color:#1a4fb4;word-break:break-all")], text: link),
                ]),
        ]
    }
}
