internal import HTML
internal import Identity

extension Page {
    /// The links of the brand, which every page has in the same place (WCAG 2.2, 3.2.6), and after a failure the ID with
    /// which the operator finds the request in the log. Empty without both.
    var footer: [Markup] {
        let brand = context.brand
        let links: [(label: LocalizedString, link: BrandLink?)] = [
            (.support, brand.support), (.privacy, brand.privacy), (.terms, brand.terms),
        ]
        let items = links.compactMap { label, link in
            link.map {
                Markup(.li, [Markup(.a, [.href(.brand($0))], text: label.in(context.language))])
            }
        }
        let list = items.isEmpty ? [] : [Markup(.ul, items)]
        let requestID = isFailure ? context.requestID.map { [Self.requestNote($0, in: context.language)] } ?? [] : []
        return list.isEmpty && requestID.isEmpty ? [] : [Markup(.footer, list + requestID)]
    }

    private static func requestNote(_ id: String, in language: Language) -> Markup {
        Markup(.p, [.text(LocalizedString.requestID.in(language)), .text(" "), Markup(.code, text: id)])
    }
}

extension LocalizedString {
    fileprivate static let support = LocalizedString("Help", "お問い合わせ")
    fileprivate static let privacy = LocalizedString("Privacy", "プライバシー")
    fileprivate static let terms = LocalizedString("Terms", "利用規約")
    fileprivate static let requestID = LocalizedString("Request ID:", "リクエスト番号：")
}
