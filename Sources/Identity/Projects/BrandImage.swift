/// An image of a ``Brand``, which the gateway stores and serves.
public struct BrandImage: Hashable, Sendable {
    /// SHA-256 of the bytes, in hexadecimal digits.
    public let id: ID<BrandImage>
    public let header: ImageHeader

    public init(id: ID<BrandImage>, header: ImageHeader) {
        self.id = id
        self.header = header
    }
}

extension BrandImage {
    /// What the ID of an image must be, for an error message.
    public static let rule = "the ID of an image of the project"
}

extension ID where Subject == BrandImage {
    /// Whether the ID has the form of one: 64 hexadecimal digits in lower case.
    public var isValidImageID: Bool { rawValue.wholeMatch(of: /[0-9a-f]{64}/) != nil }
}

extension Brand {
    public var images: [BrandImage] { [logo, darkLogo, favicon].compactMap(\.self) }
}

extension Project {
    /// The image with this ID, if the project's brand or that of an app has it. No other image is served.
    public func brandImage(_ id: ID<BrandImage>) -> BrandImage? {
        ([brand] + apps.map(\.settings.brand)).lazy.flatMap(\.images).first { $0.id == id }
    }
}

/// The bytes of an image that a brand can have.
public struct ImageUpload: Sendable {
    public let content: [UInt8]
    public let header: ImageHeader

    /// - Returns: `nil` unless `content` is ``ImageHeader/rule``.
    public init?(_ content: [UInt8]) {
        guard let header = ImageHeader(content) else { return nil }
        self.content = content
        self.header = header
    }
}

/// Stores the images of brands.
public struct BrandImages: Sendable {
    /// Stores an image of the project, and deletes images that no brand has used for a while.
    ///
    /// Returns `nil` if the project does not exist.
    public var store: @Sendable (ImageUpload, ID<Project>, AuditActor) async throws -> BrandImage?
    /// Returns the stored images of the project with these IDs.
    public var images: @Sendable ([ID<BrandImage>], ID<Project>) async throws -> [BrandImage]
    /// Returns the bytes of an image; `nil` if the project has not stored it.
    public var content: @Sendable (ID<BrandImage>, ID<Project>) async throws -> [UInt8]?

    public init(
        store: @escaping @Sendable (ImageUpload, ID<Project>, AuditActor) async throws -> BrandImage?,
        images: @escaping @Sendable ([ID<BrandImage>], ID<Project>) async throws -> [BrandImage],
        content: @escaping @Sendable (ID<BrandImage>, ID<Project>) async throws -> [UInt8]?
    ) {
        self.store = store
        self.images = images
        self.content = content
    }
}
