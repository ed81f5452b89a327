internal import HTML
internal import Identity

/// What an email shows of a brand: the logo or the name above the text, the colours, and whom to ask below it.
struct EmailBrand {
    static let logoID = "logo"
    private static let defaultColor = RGBColor(red: 0x1A, green: 0x4F, blue: 0xB4)
    private static let darkCard = RGBColor(red: 0x12, green: 0x13, blue: 0x16)
    /// In pixels, as on pages.
    private static let maximumLogoHeight = 40

    private let name: String
    private let color: RGBColor
    private let support: BrandLink?
    private let logo: BrandImage?

    /// - Parameter logo: `nil` if the email shows none.
    init(_ brand: Brand, name: String, logo: BrandImage?) {
        self.name = name
        color = brand.color ?? Self.defaultColor
        support = brand.support
        self.logo = logo
    }

    /// Mail programs that ignore styles show the inline ones, which are light. Some invert these in dark mode; this
    /// style replaces the inline colours there. It contains only constants and computed colours.
    var style: Markup {
        let (light, dark) = (color.readable(on: .white).text, color.readable(on: Self.darkCard).text)
        return .style(
            computed: """
                :root{color-scheme:light dark;supported-color-schemes:light dark}\
                .button{background:\(color.text)!important;color:\(color.textColor.text)!important;\
                border-color:\(light)!important}.link{color:\(light)!important}\
                @media (prefers-color-scheme:dark){\
                body{background:\(Self.darkCard.text)!important;color:#f0f1f3!important}\
                .button{border-color:\(dark)!important}.link{color:\(dark)!important}\
                .footer{border-color:#8b919b!important;color:#c3c7ce!important}}
                """)
    }

    var header: Markup {
        guard let logo else {
            return Markup(.p, [.style("margin:0 0 8px;font-weight:600")], [.isolated(name)])
        }
        let height = min(logo.header.height, Self.maximumLogoHeight)
        let width = max(logo.header.width * height / logo.header.height, 1)
        // A dark logo would disappear on a dark background.
        return Markup(
            .p, [.style("margin:0 0 16px")],
            [
                .void(
                    .img,
                    [
                        .src(URLReference(contentID: Self.logoID)), .alt(name), .width(width), .height(height),
                        .style("display:inline-block;border:0;padding:4px;border-radius:6px;background:#ffffff"),
                    ])
            ])
    }

    var footer: Markup {
        let link = support.map { link in
            [
                Markup.void(.br),
                Markup(
                    .a, [.href(URLReference(webOrEmail: link.text)), .classes(["link"]), .style("color:#1a4fb4")],
                    text: link.shownText),
            ]
        }
        return Markup(
            .footer,
            [
                .classes(["footer"]),
                .style("margin-top:32px;padding-top:12px;border-top:1px solid #767b84;color:#4a4f57;font-size:14px"),
            ], [.isolated(name)] + (link ?? []))
    }

    /// ``footer`` as plain text.
    var footerText: String { ([name] + [support?.shownText].compactMap(\.self)).joined(separator: "\n") }
}

extension BrandLink {
    fileprivate var shownText: String { isEmail ? String(text.dropFirst("mailto:".count)) : text }
}
