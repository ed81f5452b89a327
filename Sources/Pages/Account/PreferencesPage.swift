internal import HTML
public import Identity

/// Why the language and the time zone were not saved, and what the form shows again.
public struct RejectedPreferences: Sendable {
    /// The language to choose in the form: the submitted one, otherwise the account's. `nil` for none.
    let language: Language?
    /// Whether the submitted language exists.
    let hasLanguage: Bool
    let timeZone: String
    /// Whether the submitted time zone exists.
    let hasTimeZone: Bool

    public init(language: Language?, hasLanguage: Bool, timeZone: String, hasTimeZone: Bool) {
        self.language = language
        self.hasLanguage = hasLanguage
        self.timeZone = timeZone
        self.hasTimeZone = hasTimeZone
    }

    fileprivate var texts: [AccountPageText] {
        (hasLanguage ? [] : [.languageUnknown]) + (hasTimeZone ? [] : [.timeZoneUnknown])
    }
}

extension Page {
    /// Asks for the language and the time zone of the account.
    ///
    /// - Parameter rejected: `nil` before the first submission.
    public static func preferences(
        of account: Account, rejected: RejectedPreferences? = nil, _ frame: AccountFrame
    ) -> Page {
        let alert = rejected.map { [frame.problem($0.texts.map { frame.paragraph($0) })] } ?? []
        let language = rejected == nil ? account.language : rejected?.language
        let chosen = language?.rawValue ?? ""
        let timeZone = rejected?.timeZone ?? account.timeZone?.rawValue ?? ""
        let invalid: [Attribute] = rejected?.hasLanguage == false ? [.invalid, .describedBy([.problem])] : []
        let fields = [
            Markup(.label, [.for(.languageChoice)], frame.context.words(.page(.language))),
            Markup(
                .select, [.id(.languageChoice), .name(AccountField.accountLanguage.rawValue)] + invalid,
                [frame.anyLanguage(isChosen: chosen.isEmpty)] + Language.allCases.map { $0.option(chosen: chosen) }),
        ]
        let zone =
            frame.field(
                .timeZone, .timeZone, .timeZone,
                [.type("text"), .autocomplete("off"), .noSpellcheck, .maxlength(TimeZoneName.lengthLimit)]
                    + [.value(timeZone)], describedBy: [.hint], isInvalid: rejected?.hasTimeZone == false)
            + [Markup(.p, [.id(.hint), .classes(.note)], frame.markup(.timeZoneHint)), frame.button(.saveProfile)]
        return frame.page(.preferences, alert + [frame.form(nil, [], fields + zone)])
    }
}

extension AccountFrame {
    fileprivate func anyLanguage(isChosen: Bool) -> Markup {
        Markup(.option, [.value("")] + (isChosen ? [.selected] : []), markup(.anyLanguage))
    }
}

extension ElementID {
    static let languageChoice = ElementID("language")
    static let timeZone = ElementID("timeZone")
}
