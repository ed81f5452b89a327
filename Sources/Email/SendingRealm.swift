public import Identity

/// The realm that an email is sent for.
public struct SendingRealm: Sendable {
    public let realm: Realm
    /// The display name of the project, which recipients see unless the brand has another name.
    public let name: String
    /// The bytes of the brand's logo; `nil` if there is none.
    public let logo: [UInt8]?

    public init(realm: Realm, name: String, logo: [UInt8]? = nil) {
        self.realm = realm
        self.name = name
        self.logo = logo
    }
}

extension SendingRealm {
    /// The name that recipients know.
    var brandName: String { realm.project.brand.name ?? name }

    /// The logo with its bytes; `nil` for WebP, which many mail programs do not show.
    var inlineLogo: (image: BrandImage, content: [UInt8])? {
        guard let image = realm.project.brand.logo, let logo, image.header.format != .webp else { return nil }
        return (image, logo)
    }
}
