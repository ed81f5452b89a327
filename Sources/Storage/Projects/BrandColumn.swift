internal import Identity

/// The JSON in the column `realm.brand`, and in the member `brand` of `app.settings`. Ignores unknown members, which a
/// newer release may have written.
struct BrandColumn: Codable {
    let name: String?
    let color: String?
    let privacyUrl: String?
    let termsUrl: String?
    let supportUrl: String?

    init(_ brand: Brand) {
        name = brand.name
        color = brand.color?.text
        privacyUrl = brand.privacy?.text
        termsUrl = brand.terms?.text
        supportUrl = brand.support?.text
    }

    var brand: Brand {
        Brand(
            name: name, color: color.flatMap { RGBColor($0) }, privacy: privacyUrl.map { BrandLink(stored: $0) },
            terms: termsUrl.map { BrandLink(stored: $0) }, support: supportUrl.map { BrandLink(stored: $0) })
    }
}
