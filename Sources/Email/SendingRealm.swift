public import Identity

/// The realm that an email is sent for.
public struct SendingRealm: Sendable {
    public let realm: Realm
    /// The display name of the project, which recipients see unless the brand has another name.
    public let name: String
    /// The bytes of the logos of the project's brands.
    public let logos: [ID<BrandImage>: [UInt8]]

    public init(realm: Realm, name: String, logos: [ID<BrandImage>: [UInt8]] = [:]) {
        self.realm = realm
        self.name = name
        self.logos = logos
    }
}

extension SendingRealm {
    /// The brand of an app; see ``Project/brand(of:)``.
    func brand(of app: ID<App>?) -> Brand {
        var brand = realm.project.brand(of: app)
        brand.name = brand.name ?? name
        return brand
    }

    /// The logo with its bytes; `nil` for WebP, which many mail programs do not show.
    func inlineLogo(of brand: Brand) -> (image: BrandImage, content: [UInt8])? {
        guard let image = brand.logo, let content = logos[image.id], image.header.format != .webp else { return nil }
        return (image, content)
    }
}
