internal import Identity

extension ProjectFile.BrandInput {
    init(_ reader: inout ObjectReader) {
        name = reader.nullableText("name")
        color = reader.nullableText("color", RGBColor.rule) { RGBColor($0) }
        privacy = reader.nullableText("privacyUrl", BrandLink.rule) { BrandLink($0) }
        terms = reader.nullableText("termsUrl", BrandLink.rule) { BrandLink($0) }
        support = reader.nullableText("supportUrl", BrandLink.supportRule) { BrandLink($0, acceptsEmail: true) }
    }
}

extension Patch<ProjectFile.BrandInput> {
    func brand(replacing current: Brand, pruning: Bool) -> Brand {
        switch self {
        case .absent: return pruning ? Brand() : current
        case .null: return Brand()
        case .value(let input):
            var brand = pruning ? Brand() : current
            input.name.apply(to: &brand.name)
            input.color.apply(to: &brand.color)
            input.privacy.apply(to: &brand.privacy)
            input.terms.apply(to: &brand.terms)
            input.support.apply(to: &brand.support)
            return brand
        }
    }
}
