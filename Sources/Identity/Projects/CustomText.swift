internal import Encoding

/// The texts of pages and emails that a project can replace.
///
/// The list is closed: texts of notices, of errors and of buttons that change an account are not in it, because users
/// decide by them what to do about an attack.
public enum CustomText: String, CaseIterable, Hashable, Sendable {
    /// The paragraph and the button of each requested email.
    case verifyEmail, verifyEmailButton, resetPassword, resetPasswordButton, signInEmail, signInEmailButton, changeEmail
    case changeEmailButton
    /// The headings of the sign-in page.
    case signInTitle, signUpTitle, resetTitle
    /// Paragraphs of the sign-in page. The two that end in `Help` have no built-in text.
    case signInHelp, signUpHelp, resetAdvice, noMethod, accountDisabled
}

extension CustomText {
    /// The placeholders that the text may contain.
    public static let placeholders = ["{app}"]

    /// The allowed number of Unicode scalars.
    var length: ClosedRange<Int> {
        switch self {
        case .verifyEmail, .resetPassword, .signInEmail, .changeEmail: 1...2000
        case .verifyEmailButton, .resetPasswordButton, .signInEmailButton, .changeEmailButton: 1...60
        case .signInTitle, .signUpTitle, .resetTitle: 1...100
        case .signInHelp, .signUpHelp, .resetAdvice, .noMethod, .accountDisabled: 1...500
        }
    }

    /// What a text must be, for an error message.
    public var rule: String {
        """
        must have at most \(length.upperBound) characters in one line, with no placeholder but \
        \(Self.placeholders.joined(separator: " and ")), and without anything that mail programs show as a link, such as \
        example.com
        """
    }

    /// Whether ``rule`` holds. Invisible characters are not accepted, because they can hide a link or turn the text
    /// around; variation selectors of emoji are, but hide none.
    public func accepts(_ text: String) -> Bool {
        // The value of a placeholder must not complete a link either: `example.{app}`.
        let sample = Self.placeholders.reduce(text) { $0.replacing($1, with: "name") }
        return length.contains(text.unicodeScalars.count) && text.contains { !$0.isWhitespace }
            && text.unicodeScalars.allSatisfy(\.isShown) && !sample.contains { "{}".contains($0) }
            && !sample.looksLikeLink
    }
}

/// The texts with which a project replaces built-in ones, by text and language.
public struct CustomTexts: Hashable, Sendable {
    public var values: [CustomText: [Language: String]]

    public init(_ values: [CustomText: [Language: String]] = [:]) {
        self.values = values.filter { !$0.value.isEmpty }
    }

    /// Returns the text; `nil` if the built-in text of the language applies.
    public subscript(text: CustomText, language: Language) -> String? { values[text]?[language] }

    /// The texts in a fixed order.
    public var all: [(key: CustomText, language: Language, text: String)] {
        CustomText.allCases.flatMap { key in
            Language.allCases.compactMap { language in self[key, language].map { (key, language, $0) } }
        }
    }

    var problems: [ConfigurationProblem] {
        all.filter { !$0.key.accepts($0.text) }.map { .customText($0.key, $0.language) }
    }
}

extension Unicode.Scalar {
    fileprivate var isShown: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: !properties.isDefaultIgnorableCodePoint || properties.isVariationSelector
        }
    }

    /// The dots that browsers accept in the name of a host (UTS #46 §4), and one that looks like them.
    fileprivate var isDot: Bool { [0x2E, 0x2024, 0x3002, 0xFF0E, 0xFF61].contains(value) }

    /// Whether it can stand in the name of a host: letters and digits, and outside ASCII also marks and emoji, which
    /// could otherwise hide a host.
    fileprivate var isOfHost: Bool {
        properties.isAlphabetic || properties.numericType != nil || !isASCII && !properties.isWhitespace && !isDot
    }
}

extension String {
    /// Whether the text contains a URL, an email address, or the name of a host, which many programs show as links.
    fileprivate var looksLikeLink: Bool {
        // Browsers ignore variation selectors in the name of a host, and accept other dots (UTS #46 §4).
        let scalars = Array(unicodeScalars.filter { !$0.properties.isVariationSelector })
        let lowercased = String(String.UnicodeScalarView(scalars.map { $0.isDot ? "." : $0 })).lowercased()
        return lowercased.contains("://") || lowercased.contains("www.")
            || lowercased.contains(/\b(https?|mailto|tel|sms|javascript|data):/)
            || lowercased.contains(/\d{1,3}(\.\d{1,3}){3}/)
            || scalars.indices.contains { Self.isHostDot(at: $0, in: scalars) || Self.isAtSign(at: $0, in: scalars) }
    }

    /// Whether a dot between two scalars of a host is one of a host: at least two, with a letter, follow. `e.g.`
    /// and `1.5` are not hosts. A full stop of Chinese and Japanese needs no space around it, so it counts only between
    /// ASCII characters.
    private static func isHostDot(at index: Int, in scalars: [Unicode.Scalar]) -> Bool {
        guard scalars[index].isDot, index > 0, index + 1 < scalars.count else { return false }
        let label = scalars[(index + 1)...].prefix { $0.isOfHost }
        let before = scalars[index - 1]
        guard before.isOfHost, label.count >= 2, label.contains(where: { $0.properties.isAlphabetic }) else {
            return false
        }
        return scalars[index].value != 0x3002 || before.isASCII && label[index + 1].isASCII
    }

    private static func isAtSign(at index: Int, in scalars: [Unicode.Scalar]) -> Bool {
        [0x40, 0xFF20].contains(scalars[index].value) && index > 0 && index + 1 < scalars.count
            && scalars[index - 1].isOfHost && scalars[index + 1].isOfHost
    }
}
