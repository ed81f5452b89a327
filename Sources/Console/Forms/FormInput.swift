package import Encoding
package import HTTP

/// The submitted values of a ``Form``.
package struct FormInput: Sendable {
    private let values: [ByteText: String]
    /// `false` for the values with which a form is shown.
    package let isSubmitted: Bool

    /// - Returns: `nil` for another content type, a malformed form, or a repeated name.
    package init?(_ request: Request) {
        let type = request.headers["Content-Type"]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard type.utf8.filter({ $0 != UInt8(ascii: " ") }).elementsEqual("application/x-www-form-urlencoded".utf8),
            let pairs = FormDecoder.decode(request.body), Set(pairs.map(\.name)).count == pairs.count
        else { return nil }
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

    package func isChecked(_ name: ByteText) -> Bool { self[name] == "true" }
}
