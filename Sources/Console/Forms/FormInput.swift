package import Encoding
package import HTTP

/// The submitted values of a ``Form``.
package struct FormInput: Sendable {
    private var values: [ByteText: String]
    /// The fields that the user has changed; `nil` for a form that edits no stored values.
    private var changed: Set<ByteText>?
    /// `false` for the values with which a form is shown.
    package let isSubmitted: Bool

    /// - Parameter acceptsFiles: whether the form may have files. The value of a file is its content in base64.
    /// - Returns: `nil` for another content type, a malformed form, or a repeated name.
    package init?(_ request: Request, acceptsFiles: Bool = false) {
        let files = acceptsFiles ? MultipartDecoder.decode(request.body, contentType: request.contentType) : nil
        let submitted = if let files { Self.pairs(of: files) } else { Self.pairs(of: request) }
        guard let pairs = submitted, Set(pairs.map(\.name)).count == pairs.count else { return nil }
        values = Dictionary(uniqueKeysWithValues: pairs.map { ($0.name, $0.value) })
        isSubmitted = true
    }

    private static func pairs(of request: Request) -> [(name: ByteText, value: String)]? {
        let type = request.contentType.prefix { $0 != ";" }.lowercased()
        guard type.utf8.filter({ $0 != UInt8(ascii: " ") }).elementsEqual("application/x-www-form-urlencoded".utf8)
        else { return nil }
        return FormDecoder.decode(request.body)
    }

    private static func pairs(of parts: [MultipartDecoder.Part]) -> [(name: ByteText, value: String)]? {
        var pairs: [(name: ByteText, value: String)] = []
        for part in parts {
            if part.isFile {
                pairs.append((part.name, Base64.encode(part.content)))
            } else {
                guard let text = String(validating: part.content, as: UTF8.self), text.isWithinCombiningLimit else {
                    return nil
                }
                pairs.append((part.name, text))
            }
        }
        return pairs
    }

    /// - Returns: `nil` for a repeated name.
    init?(_ pairs: [(name: ByteText, value: String)]) {
        guard Set(pairs.map(\.name)).count == pairs.count else { return nil }
        values = Dictionary(uniqueKeysWithValues: pairs.map { ($0.name, $0.value) })
        isSubmitted = true
    }

    /// The values with which a form is shown.
    init(_ fields: [FormField]) {
        values = Dictionary(fields.map { (ByteText($0.name), $0.value) }) { $1 }
        isSubmitted = false
    }

    /// The value of a field; empty if the field is absent.
    package subscript(name: ByteText) -> String { values[name] ?? "" }

    /// Whether the form stores the field: the user has changed it, or the form shows all values, as for a command line.
    package func isChanged(_ name: ByteText) -> Bool { changed?.contains(name) ?? true }

    /// Whether the user has changed no field of a form that edits stored values.
    var isUnchanged: Bool { changed?.isEmpty == true }

    /// The same submission, in which the user has changed only some fields.
    ///
    /// - Parameter fields: get their stored values.
    func editing(_ changed: Set<ByteText>, restoring fields: [FormField]) -> FormInput {
        var input = self
        input.changed = changed
        for field in fields { input.values[ByteText(field.name)] = field.stored }
        return input
    }

    package func isChecked(_ name: ByteText) -> Bool { self[name] == "true" }
}

extension Request {
    fileprivate var contentType: String { headers["Content-Type"] ?? "" }
}
