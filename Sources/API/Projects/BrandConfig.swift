internal import Identity

/// The brand of a project or an app in a response. An extension.
struct BrandConfig: Encodable {
    let name: String?
    let color: String?
    let privacyUrl: String?
    let termsUrl: String?
    let supportUrl: String?

    /// - Returns: `nil` if no member is set.
    init?(_ brand: Brand) {
        guard brand != Brand() else { return nil }
        name = brand.name
        color = brand.color?.text
        privacyUrl = brand.privacy?.text
        termsUrl = brand.terms?.text
        supportUrl = brand.support?.text
    }
}

/// An update of a brand.
struct BrandInput: Decodable {
    let name: String?
    let color: String?
    let privacyUrl: String?
    let termsUrl: String?
    let supportUrl: String?

    static let empty = BrandInput(name: nil, color: nil, privacyUrl: nil, termsUrl: nil, supportUrl: nil)

    /// Sets the members that `mask` covers. An empty text removes a member.
    ///
    /// - Parameter keepingAbsent: whether members that the input omits stay as they are. Otherwise they are removed.
    func apply(to brand: inout Brand, maskedBy mask: FieldMask, keepingAbsent: Bool) throws(RequestRefusal) {
        let editor = Editor(mask: mask, keepsAbsent: keepingAbsent)
        try editor.set("name", name, in: &brand.name, to: "a text") { $0 }
        try editor.set("color", color, in: &brand.color, to: RGBColor.rule) { RGBColor($0) }
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
