internal import HTML
internal import Identity

extension Page {
    /// The links of the brand, which every page has in the same place (WCAG 2.2, 3.2.6), and after a failure the ID with
    /// which the operator finds the request in the log. Empty without both.
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
        return list.isEmpty && requestID.isEmpty ? [] : [Markup(.footer, list + requestID)]
    }

    private func requestNote(_ id: String) -> Markup {
        let label = context.words(.page(.requestID)) + context.words(.page(.colon))
        return Markup(.p, label + [Markup(.code, text: id)])
    }
}
