public import Identity

/// The texts of one area, with one text per case and language. Each language has a file with an exhaustive `switch` of
/// its own, so a missing text does not compile.
///
/// A text has placeholders such as `{app}`, and plurals as in ICU: `{minutes, plural, one {# minute} other {#
/// minutes}}` with the categories of ``Language/pluralCategories``. A ``Text`` fills them.
public protocol TextKey: CaseIterable, Hashable, Sendable {
    var english: StaticString { get }
    var japanese: StaticString { get }
    var german: StaticString { get }
    var french: StaticString { get }
    var spanish: StaticString { get }
    var portuguese: StaticString { get }
    var italian: StaticString { get }
    var korean: StaticString { get }
    var simplifiedChinese: StaticString { get }
    var traditionalChinese: StaticString { get }
    var arabic: StaticString { get }
    var indonesian: StaticString { get }

    /// The text of a project that replaces this one; `nil` if projects cannot replace it.
    var custom: CustomText? { get }
}

extension TextKey {
    public var custom: CustomText? { nil }
}

extension TextKey {
    /// Returns the text with its placeholders.
    public func template(in language: Language) -> StaticString {
        switch language {
        case .english, .accentedEnglish, .mirroredEnglish: english
        case .japanese: japanese
        case .german: german
        case .french: french
        case .spanish: spanish
        case .portuguese: portuguese
        case .italian: italian
        case .korean: korean
        case .simplifiedChinese: simplifiedChinese
        case .traditionalChinese: traditionalChinese
        case .arabic: arabic
        case .indonesian: indonesian
        }
    }
}
