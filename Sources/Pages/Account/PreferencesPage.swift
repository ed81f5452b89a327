internal import HTML
public import Identity

extension Page {
    /// Asks for the language and the time zone of the account.
    ///
    /// - Parameter rejected: the submitted language, and the submitted time zone, which does not exist; `nil` before the
    ///   first submission.
    public static func preferences(
        of account: Account, rejected: (language: String, timeZone: String)? = nil, _ frame: AccountFrame
    ) -> Page {
        let alert = rejected == nil ? [] : [frame.problem(.timeZoneUnknown)]
        let chosen = rejected?.language ?? account.language?.rawValue ?? ""
        let timeZone = rejected?.timeZone ?? account.timeZone?.rawValue ?? ""
        let fields = [
            Markup(.label, [.for(.languageChoice)], frame.context.words(.page(.language))),
            Markup(
                .select, [.id(.languageChoice), .name(AccountField.accountLanguage.rawValue)],
                [frame.anyLanguage(isChosen: chosen.isEmpty)] + Language.allCases.map { $0.option(chosen: chosen) }),
        ]
        let zone =
            frame.field(
                .timeZone, .timeZone, .timeZone,
                [.type("text"), .autocomplete("off"), .noSpellcheck, .maxlength(TimeZoneName.lengthLimit)]
                    + [.value(timeZone)], describedBy: [.hint], isInvalid: rejected != nil)
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
