internal import Encoding
internal import Identity

/// The brand of a project or an app in a response. An extension.
struct BrandConfig: Encodable {
    let name: String?
    let color: String?
    /// The IDs of images.
    let logo: String?
    let darkLogo: String?
    let favicon: String?
    let privacyUrl: String?
    let termsUrl: String?
    let supportUrl: String?

    /// - Returns: an object without members if no member is set.
    init(_ brand: Brand) {
        name = brand.name
        color = brand.color?.text
        logo = brand.logo?.id.rawValue
        darkLogo = brand.darkLogo?.id.rawValue
        favicon = brand.favicon?.id.rawValue
        privacyUrl = brand.privacy?.text
        termsUrl = brand.terms?.text
        supportUrl = brand.support?.text
    }
}

/// An update of a brand.
struct BrandInput: Decodable {
    var name: String?
    var color: String?
    /// The IDs of images.
    var logo: String?
    var darkLogo: String?
    var favicon: String?
    var privacyUrl: String?
    var termsUrl: String?
    var supportUrl: String?

    /// The images that the input names.
    var imageIDs: [ID<BrandImage>] {
        [logo, darkLogo, favicon].compactMap { $0.nonEmpty.map { ID($0) } }.filter(\.isValidImageID)
    }

    /// Sets the members that `mask` covers. An empty text removes a member.
    ///
    /// - Parameters:
    ///   - images: the images of ``imageIDs`` that the project has.
    ///   - keepingAbsent: whether members that the input omits stay as they are. Otherwise they are removed.
    func apply(
        to brand: inout Brand, maskedBy mask: FieldMask, images: [BrandImage], keepingAbsent: Bool
    ) throws(RequestRefusal) {
        func image(_ id: String) -> BrandImage? { images.first { $0.id.rawValue.isExactly(id) } }
        let editor = Editor(mask: mask, keepsAbsent: keepingAbsent)
        try editor.set("name", name, in: &brand.name, to: "a text") { $0 }
        try editor.set("color", color, in: &brand.color, to: RGBColor.rule) { RGBColor($0) }
        try editor.set("logo", logo, in: &brand.logo, to: BrandImage.rule, image)
        try editor.set("darkLogo", darkLogo, in: &brand.darkLogo, to: BrandImage.rule, image)
        try editor.set("favicon", favicon, in: &brand.favicon, to: BrandImage.rule, image)
        try editor.set("privacyUrl", privacyUrl, in: &brand.privacy, to: BrandLink.rule) { BrandLink($0) }
        try editor.set("termsUrl", termsUrl, in: &brand.terms, to: BrandLink.rule) { BrandLink($0) }
        try editor.set("supportUrl", supportUrl, in: &brand.support, to: BrandLink.supportRule) {
            BrandLink($0, acceptsEmail: true)
        }
    }

    private struct Editor {
        let mask: FieldMask
        let keepsAbsent: Bool

        /// - Parameter rule: what the text must be so that `parse` does not return `nil`.
        func set<Value>(
            _ name: String, _ text: String?, in member: inout Value?, to rule: String, _ parse: (String) -> Value?
        ) throws(RequestRefusal) {
            guard mask.contains("brand.\(name)"), text != nil || !keepsAbsent else { return }
            guard let text = text.nonEmpty else {
                member = nil
                return
            }
            guard let value = parse(text) else { throw .invalidField("/brand/\(name)", "must be \(rule)") }
            member = value
        }
    }
}

extension EndpointCall {
    /// Returns the images of the administrator's project that `input` names.
    func images(of input: BrandInput?, for administrator: Administrator) async throws -> [BrandImage] {
        guard let ids = input?.imageIDs, !ids.isEmpty else { return [] }
        return try await services.projects.images.images(ids, administrator.realm.project.id)
    }
}
