internal import HTML
public import Identity

/// A link that starts the sign-in with a provider.
public struct ProviderButton: Sendable {
    public let provider: ProviderID
    /// The name that the operator gave to the provider; `nil` for a provider that the gateway knows.
    public let displayName: String?

    let usesAppleImage: Bool

    private enum Style {
        case apple
        case google
        case other
    }

    /// - Parameters:
    ///   - displayName: `nil` for a provider that the gateway knows.
    ///   - usesAppleImage: `false` for a neutral button, where the page must load nothing from other hosts.
    public init(_ provider: ProviderID, displayName: String?, usesAppleImage: Bool) {
        self.provider = provider
        self.displayName = displayName.map { String($0.prefix(40)) }
        self.usesAppleImage = usesAppleImage
    }

    /// The origin of Apple's image of the button.
    public static let appleImageOrigin = AppleImage.origin

    private var style: Style {
        switch provider.rawValue {
        case "apple.com": .apple
        case "google.com": .google
        default: .other
        }
    }

    /// The name of a provider in a sentence.
    public static func name(of provider: ProviderID, displayName: String?) -> String {
        switch ProviderButton(provider, displayName: displayName, usesAppleImage: false).style {
        case .apple: "Apple"
        case .google: "Google"
        case .other: displayName.map { String($0.prefix(40)) } ?? provider.rawValue
        }
    }

    func markup(flow: String, _ context: Page.Context) -> Markup {
        let destination = Destination.provider(provider.rawValue, flow: flow)
        switch style {
        case .apple:
            let title = context.text(.signInWithApple)
            return Markup(
                .a, [.classes(.provider, .apple), .href(destination)],
                usesAppleImage ? [AppleImage(language: context.language).markup(title)] : [Markup(.span, text: title)])
        case .google:
            return Markup(
                .a, [.classes(.provider, .google), .href(destination)],
                [.googleLogo, Markup(.span, text: context.text(.signInWithGoogle))])
        case .other:
            let name = displayName ?? provider.rawValue
            return Markup(
                .a, [.classes(.provider), .href(destination)],
                [Markup(.span, text: context.text(.continueWith, [.provider: .name(name)]))])
        }
    }
}

/// The image of Apple's button, which Apple requires on web pages. A browser that does not load it shows the title.
struct AppleImage {
    static let origin = "https://appleid.cdn-apple.com"

    let language: Language

    /// The title is in the image, so a user of a screen reader hears it as the text of the link.
    func markup(_ title: String) -> Markup {
        Markup(
            .picture,
            [
                .void(.source, [.darkScheme, .srcset([1, 2].map { image(color: "white", density: $0) })]),
                .void(
                    .img,
                    [
                        .alt(title), .width(240), .height(44), .srcset([image(color: nil, density: 2)]),
                        .src(image(color: nil, density: 1).url),
                    ]),
            ])
    }

    /// - Parameter color: `nil` for black, Apple's default. So is "Sign in with Apple", without a border.
    private func image(color: String?, density: Int) -> (url: URLReference, density: Int) {
        let url = """
            \(Self.origin)/appleid/button?height=44&width=240\(color.map { "&color=" + $0 } ?? "")&border_radius=0\
            \(density == 1 ? "" : "&scale=\(density)")&locale=\(locale)
            """
        return (URLReference(url), density)
    }

    /// Apple's name of the language of the page.
    private var locale: String {
        switch language {
        case .english, .accentedEnglish, .mirroredEnglish: "en_US"
        case .japanese: "ja_JP"
        case .german: "de_DE"
        case .french: "fr_FR"
        case .spanish: "es_ES"
        case .portuguese: "pt_BR"
        case .italian: "it_IT"
        case .korean: "ko_KR"
        case .simplifiedChinese: "zh_CN"
        case .traditionalChinese: "zh_TW"
        case .arabic: "ar_SA"
        case .indonesian: "id_ID"
        }
    }
}

extension Markup {
    /// Google's logo in its own colours.
    static let googleLogo = Markup.icon(
        """
        <path fill="#EA4335" d="M24 9.5c3.54 0 6.71 1.22 9.21 3.6l6.85-6.85C35.9 2.38 30.47 0 24 0 14.62 0 6.51 5.38 2.56 \
        13.22l7.98 6.19C12.43 13.72 17.74 9.5 24 9.5z"/><path fill="#4285F4" d="M46.98 24.55c0-1.57-.15-3.09-.38-4.55H24v9.02\
        h12.94c-.58 2.96-2.26 5.48-4.78 7.18l7.73 6c4.51-4.18 7.09-10.36 7.09-17.65z"/><path fill="#FBBC05" d="M10.53 28.59c\
        -.48-1.45-.76-2.99-.76-4.59s.27-3.14.76-4.59l-7.98-6.19C.92 16.46 0 20.12 0 24c0 3.88.92 7.54 2.56 10.78l7.97-6.19z"/>\
        <path fill="#34A853" d="M24 48c6.48 0 11.93-2.13 15.89-5.81l-7.73-6c-2.15 1.45-4.92 2.3-8.16 2.3-6.26 0-11.57-4.22\
        -13.47-9.91l-7.98 6.19C6.51 42.62 14.62 48 24 48z"/>
        """)
}
