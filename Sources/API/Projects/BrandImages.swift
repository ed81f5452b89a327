internal import Encoding
internal import HTTP
internal import Identity

extension Endpoint {
    /// Stores an image that a brand of the project can then name.
    static let createBrandImage = batch(
        "createBrandImage", "/v2/projects/{project}/brandImages", bodyLimit: 96 * 1024, needs: .config
    ) { (call, administrator, input: BrandImageInput) in
        // Without it, no brand can name the image.
        try administrator.require(.trust)
        guard let content = Base64.decode(input.content?.text ?? "") else {
            throw RequestRefusal.invalidField("/content", "must be base64")
        }
        guard let upload = ImageUpload(content) else {
            let fault = ImageFault(in: content).text
            throw RequestRefusal.invalidField("/content", "\(fault), but must be \(ImageHeader.rule)")
        }
        let project = administrator.realm.project.id
        guard let image = try await call.services.projects.images.store(upload, project, administrator.actor) else {
            throw RequestRefusal.notFound
        }
        return try .json(BrandImageResource(image, byteCount: upload.content.count))
    }

    /// An image for the pages of a project. Only images of brands are found, so that a removed image disappears, and
    /// unknown IDs cost one query a second. The policy keeps a file that a browser takes for a page from loading or
    /// running anything.
    static let getBrandImage = page("getBrandImage", .get, "/__/auth/assets/{project}/{image}") { call in
        let (project, id) = (call.parameters["project"] ?? "", ID<BrandImage>(call.parameters["image"] ?? ""))
        guard let (realm, image) = try await call.brandImage(id, of: ID(project)),
            let content = try await call.services.projects.images.content(id, realm.project.id)
        else { throw RequestRefusal.notFound }
        let response = Response(
            status: 200,
            headers: [
                "Content-Type": image.header.format.rawValue,
                "Content-Security-Policy": "default-src 'none'; sandbox",
                "Cache-Control": "public, max-age=31536000, immutable",
                "Cross-Origin-Resource-Policy": "same-origin",
            ],
            body: content)
        return PageResponse(response, of: realm.id)
    }
}

extension EndpointCall {
    /// Returns an image that a brand of the project names, also if the cached configuration lacks it: after an upload,
    /// the console shows the image at once.
    fileprivate func brandImage(_ id: ID<BrandImage>, of project: ID<Project>) async throws -> (Realm, BrandImage)? {
        guard let (realm, _) = try await services.emailActions.pageService.realm(ofProject: project) else { return nil }
        if let image = realm.project.brandImage(id) { return (realm, image) }
        guard id.isValidImageID, let new = try await services.projects.newRealm(project) else { return nil }
        return new.project.brandImage(id).map { (new, $0) }
    }
}

private struct BrandImageInput: Decodable {
    /// The bytes of the image in base64, longer than other texts may be.
    let content: WireText?
}

private struct BrandImageResource: Encodable {
    let imageId: String
    let mediaType: String
    let width: Int
    let height: Int
    let byteCount: Int

    init(_ image: BrandImage, byteCount: Int) {
        imageId = image.id.rawValue
        mediaType = image.header.format.rawValue
        width = image.header.width
        height = image.header.height
        self.byteCount = byteCount
    }
}
