internal import Encoding
internal import HTML
internal import JSON

/// The images of a brand: each with a preview, a form that replaces it, and one that removes it.
struct BrandImageBlocks {
    /// What a brand uses an image for.
    private struct Use {
        /// The member of the brand.
        let member: String
        let title: String
        let hint: String
        var isForDarkMode = false
    }

    private static let rule = "PNG, JPEG or WebP, at most 64 KiB and 1024 \u{D7} 512 pixels, without animation."

    private static let uses = [
        Use(member: "logo", title: "Logo", hint: "Shown in place of the name, at most 40 pixels high."),
        Use(
            member: "darkLogo", title: "Logo for dark mode",
            hint: "Replaces the logo where the user prefers dark colours.",
            isForDarkMode: true),
        Use(member: "favicon", title: "Icon of the browser's tab", hint: "A square image."),
    ]

    let project: RealmName
    let brand: JSONValue?
    let context: ScreenContext

    var blocks: [ScreenBlock] {
        Self.uses.map { use in
            let id = (brand?[.init(use.member)]?.text).flatMap { $0.isEmpty ? nil : $0 }
            return .section(
                use.title,
                [preview(of: id, use), .form(upload(use, replacing: id ?? ""))]
                    + (id.map { [.form(removal(of: $0, use))] } ?? []))
        }
    }

    private func preview(of id: String?, _ use: Use) -> ScreenBlock {
        guard let id else { return .paragraph("None.") }
        let path = ["", "__", "auth", "assets", project.project, id].map { PercentEncoding.encode($0) }
        let image = Markup.void(
            .img, [.src(URLReference(path.joined(separator: "/"))), .alt("\(use.title) of the project")])
        return .markup(Markup(.p, [.classes(["preview"] + (use.isForDarkMode ? ["dark"] : []))], [image]))
    }

    /// - Parameter id: of the stored image; empty for none.
    private func upload(_ use: Use, replacing id: String) -> Form {
        Form(
            "upload-\(use.member)", button: "Save the image",
            [
                FormField("image", use.title, .hidden, value: id),
                FormField(
                    "content", "Image", .file("image/png,image/jpeg,image/webp"), isRequired: true,
                    hint: "\(use.hint) \(Self.rule)"),
            ], editsStoredValues: true, operation: "createBrandImage", scopes: ["trust"],
            notice: "The image was saved.",
            followUp: { stored, _ in
                try change(use, to: stored.json?["imageId"]?.text ?? "")
            }
        ) { input in
            let content = input["content"]
            // Without a file there is no request, and so no command line to show.
            guard !content.isEmpty else { throw Form.InvalidField("content", "Image: this field is required.") }
            return try context.catalog.call("createBrandImage", in: project, body: ["content": .string(content)])
        }
    }

    private func removal(of id: String, _ use: Use) -> Form {
        Form(
            "remove-\(use.member)", button: "Remove the image", [FormField("image", use.title, .hidden, value: id)],
            editsStoredValues: true, scopes: ["trust"], isDangerous: true, notice: "The image was removed."
        ) { _ in
            try change(use, to: "")
        }
    }

    /// - Parameter id: of a stored image; empty for none.
    private func change(_ use: Use, to id: String) throws -> APICall {
        try context.catalog.call(
            "updateProjectConfig", in: project, query: [.init("updateMask", "brand.\(use.member)")],
            body: ["brand": .object([ByteText(use.member): .string(id)])])
    }
}
