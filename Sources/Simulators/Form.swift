internal import Encoding
internal import HTTP

/// The fields of a form. If a name is repeated, its first value that is not empty is used.
struct Form {
    private let fields: [(name: ByteText, value: String)]

    init(_ query: [(name: ByteText, value: String)]) {
        fields = query
    }

    /// - Returns: `nil` unless the request declares and contains a valid form.
    init?(_ request: Request) {
        let type = request.headers["Content-Type"]?.lowercased() ?? ""
        guard
            type.split(separator: ";").first == "application/x-www-form-urlencoded",
            let fields = FormDecoder.decode(request.body)
        else { return nil }
        self.fields = fields
    }

    /// The value of a field; `nil` if it is absent or empty.
    subscript(name: String) -> String? {
        fields.first { $0.name == ByteText(name) && !$0.value.isEmpty }?.value
    }

    /// The fields with these names, in the order of the names.
    func fields(named names: [String]) -> [(name: String, value: String)] {
        names.compactMap { name in self[name].map { (name, $0) } }
    }
}
