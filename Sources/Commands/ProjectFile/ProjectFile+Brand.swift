internal import Crypto
internal import Encoding
internal import Gateway
internal import Identity

extension ProjectFile.BrandInput {
    init(_ reader: inout ObjectReader, contents: ProjectFile.Contents) {
        name = reader.nullableText("name")
        color = reader.nullableText("color", RGBColor.rule) { RGBColor($0) }
        logo = reader.image("logoFile", contents)
        darkLogo = reader.image("darkLogoFile", contents)
        favicon = reader.image("faviconFile", contents)
        privacy = reader.nullableText("privacyUrl", BrandLink.rule) { BrandLink($0) }
        terms = reader.nullableText("termsUrl", BrandLink.rule) { BrandLink($0) }
        support = reader.nullableText("supportUrl", BrandLink.supportRule) { BrandLink($0, acceptsEmail: true) }
    }
}

extension ProjectFile {
    /// The images of the file, each once. They must be stored before the file is applied.
    var uploads: [ImageUpload] {
        let brands = [brand] + apps.sorted { $0.key < $1.key }.map(\.value.brand)
        let images = brands.flatMap { brand -> [Patch<ImageUpload>] in
            if case .value(let input) = brand { [input.logo, input.darkLogo, input.favicon] } else { [] }
        }
        var uploads: [ImageUpload] = []
        for case .value(let upload) in images where !uploads.contains(where: { $0.content == upload.content }) {
            uploads.append(upload)
        }
        return uploads
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
            input.logo.image.apply(to: &brand.logo)
            input.darkLogo.image.apply(to: &brand.darkLogo)
            input.favicon.image.apply(to: &brand.favicon)
            input.privacy.apply(to: &brand.privacy)
            input.terms.apply(to: &brand.terms)
            input.support.apply(to: &brand.support)
            return brand
        }
    }
}

extension Patch<ImageUpload> {
    fileprivate var image: Patch<BrandImage> {
        switch self {
        case .absent: .absent
        case .null: .null
        case .value(let upload):
            .value(BrandImage(id: ID(Hexadecimal.encode(Digest.sha256(upload.content))), header: upload.header))
        }
    }
}

extension ObjectReader {
    /// Reads the image in the file that a member names.
    fileprivate mutating func image(_ name: String, _ contents: ProjectFile.Contents) -> Patch<ImageUpload> {
        switch nullableText(name) {
        case .absent: return .absent
        case .null: return .null
        case .value(let path):
            do throws(UnreadableFile) {
                if let upload = ImageUpload(try contents(path)) { return .value(upload) }
                addProblem(name, "expected \(ImageHeader.rule) in \(path)")
            } catch {
                addProblem(name, error.description)
            }
            return .absent
        }
    }
}
