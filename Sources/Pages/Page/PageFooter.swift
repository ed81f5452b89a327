internal import HTML
internal import Identity

extension Page {
    /// The links of the brand, which every page has in the same place (WCAG 2.2, 3.2.6), the switch of the language,
    /// and after a failure the ID with which the operator finds the request in the log. Empty without any.
    var footer: [Markup] {
        let brand = context.brand
        let links: [(label: PageText, link: BrandLink?)] = [
            (.help, brand.support), (.privacy, brand.privacy), (.terms, brand.terms),
        ]
        let items = links.compactMap { label, link in
            link.map {
                Markup(.li, [Markup(.a, [.href(.brand($0))], context.words(.page(label)))])
            }
        }
        let list = items.isEmpty ? [] : [Markup(.ul, items)]
        let requestID = isFailure ? context.requestID.map { [requestNote($0)] } ?? [] : []
        let content = list + languageSwitch + requestID
        return content.isEmpty ? [] : [Markup(.footer, content)]
    }

    /// A form that gets the same page in another language, which the browser then keeps in a cookie.
    private var languageSwitch: [Markup] {
        guard let query = context.repeatingQuery, !isFailure, refresh == nil else { return [] }
        // Every button of a shared form sends the select, so its value counts only together with `change`.
        let name = languageForm == nil ? "hl" : "language"
        let form = languageForm.map { [Attribute.form($0)] } ?? []
        let options = Language.allCases.map { $0.option(chosen: context.language.rawValue) }
        let content = [
            Markup(.label, [.for(.pageLanguage)], context.words(.page(.language))),
            Markup(.select, [.id(.pageLanguage), .name(name)] + form, options),
            context.button(
                .page(.changeLanguage),
                [.classes(.quiet)] + form + (languageForm == nil ? [] : [.name("change")])),
        ]
        guard languageForm == nil else { return content }
        let hidden = query.map { Markup.hidden(name: $0.name, value: $0.value) }
        return [Markup(.form, hidden + content)]
    }

    private func requestNote(_ id: String) -> Markup {
        let label = context.words(.page(.requestID)) + context.words(.page(.colon))
        return Markup(.p, label + [Markup(.code, text: id)])
    }
}

extension ElementID {
    static let pageLanguage = ElementID("hl")
}
