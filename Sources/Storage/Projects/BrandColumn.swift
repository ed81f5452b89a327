internal import Identity

/// The JSON in the column `realm.brand`, and in the member `brand` of `app.settings`. Ignores unknown members, which a
/// newer release may have written.
struct BrandColumn: Codable {
    struct Image: Codable {
        let id: String
        let type: ImageHeader.Format
        let width: Int
        let height: Int

        init(_ image: BrandImage) {
            id = image.id.rawValue
            type = image.header.format
            width = image.header.width
            height = image.header.height
        }

        var image: BrandImage {
            BrandImage(id: ID(id), header: ImageHeader(stored: type, width: width, height: height))
        }
    }

    let name: String?
    let color: String?
    let logo: Image?
    let darkLogo: Image?
    let favicon: Image?
    let privacyUrl: String?
    let termsUrl: String?
    let supportUrl: String?

    init(_ brand: Brand) {
        name = brand.name
        color = brand.color?.text
        logo = brand.logo.map(Image.init)
        darkLogo = brand.darkLogo.map(Image.init)
        favicon = brand.favicon.map(Image.init)
        privacyUrl = brand.privacy?.text
        termsUrl = brand.terms?.text
        supportUrl = brand.support?.text
    }

    var brand: Brand {
        Brand(
            name: name, color: color.flatMap { RGBColor($0) }, logo: logo?.image, darkLogo: darkLogo?.image,
            favicon: favicon?.image, privacy: privacyUrl.map { BrandLink(stored: $0) },
            terms: termsUrl.map { BrandLink(stored: $0) }, support: supportUrl.map { BrandLink(stored: $0) })
    }
}
