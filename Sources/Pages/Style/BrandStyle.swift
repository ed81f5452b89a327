internal import HTML
public import Identity

/// The colours of a brand, with enough contrast for every reader, as a style that follows the ``Stylesheet``.
///
/// A filled button has the colour of the brand, with black or white text, whichever has more contrast: at least 4.58:1.
/// Text, borders and focus rings have the colour with another lightness, so that their contrast on the card is at
/// least 7:1, in the light and in the dark colours.
public struct BrandStyle: Hashable, Sendable {
    /// The CSS text. It contains only the computed colours.
    let text: String
    /// SHA-256 of ``text`` in base64, for the Content-Security-Policy.
    let sha256: String

    /// - Parameter sha256: returns the digest of a text in base64.
    public init(_ color: RGBColor, sha256: (String) -> String) {
        let light = color.readable(on: Self.lightCard).text
        let dark = color.readable(on: Self.darkCard).text
        text = """
            :root{--fill:\(color.text);--on-fill:\(color.textColor.text);--strong:\(light)}\
            @media (prefers-color-scheme:dark){:root{--strong:\(dark)}}
            """
        self.sha256 = sha256(text)
    }
}

extension BrandStyle {
    /// The colours of `--card` in the ``Stylesheet``.
    static let lightCard = RGBColor.white
    static let darkCard = RGBColor(red: 0x1D, green: 0x1F, blue: 0x24)
}

extension BrandStyle {
    var markup: Markup { .style(computed: text) }
}
