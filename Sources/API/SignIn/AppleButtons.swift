/// The requirements of the Human Interface Guidelines for a Sign in with Apple button. Lengths are in points.
struct AppleButtons: Encodable {
    struct Native: Encodable {
        let titles = ["Sign in with Apple", "Sign up with Apple", "Continue with Apple"]
        let styles = ["black", "white", "whiteOutline"]
        let minimumWidth = 140
        let minimumHeight = 30
        let recommendedHeight = 44
        /// The margin on every side, as a fraction of the button's height.
        let minimumMargin = 0.1
        /// The font size of the title, as a fraction of the button's height.
        let titleSize = 0.43
    }

    /// The button as an image that Apple's server generates.
    struct Web: Encodable {
        let imageUrl = "https://appleid.cdn-apple.com/appleid/button"
        let parameters = Parameters()
    }

    /// The valid values of the parameters of the image's URL. Apple responds to any other value with 404.
    struct Parameters: Encodable {
        let type = ["sign-in", "continue"]
        let color = ["black", "white"]
        let border = [false, true]
        let width = Range(minimum: 130, maximum: 375, initial: 140)
        let height = Range(minimum: 30, maximum: 64, initial: 30)
        let borderRadius = Range(minimum: 0, maximum: 50, initial: 15)
        let scale = Range(minimum: 1, maximum: 6, initial: 1)
        /// The first locale is Apple's default.
        let locale = [
            "en_US", "ar_SA", "ca_ES", "cs_CZ", "da_DK", "de_DE", "el_GR", "en_GB", "es_ES", "es_MX", "fi_FI", "fr_CA",
            "fr_FR", "hr_HR", "hu_HU", "id_ID", "it_IT", "iw_IL", "ja_JP", "ko_KR", "ms_MY", "nl_NL", "no_NO", "pl_PL",
            "pt_BR", "pt_PT", "ro_RO", "ru_RU", "sk_SK", "sv_SE", "th_TH", "tr_TR", "uk_UA", "vi_VI", "zh_CN", "zh_HK",
            "zh_TW",
        ]

        enum CodingKeys: String, CodingKey {
            case type, color, border, width, height, scale, locale
            case borderRadius = "border_radius"
        }
    }

    struct Range: Encodable {
        let minimum: Int
        let maximum: Int
        /// Apple's default if the URL lacks the parameter.
        let initial: Int
    }

    let native = Native()
    let web = Web()
}
