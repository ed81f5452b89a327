internal import HTTP

/// The fields of a form. If a name is repeated, its first value that is not empty is used.
struct Form {
    private let fields: [(String, String)]

    init(_ query: [(name: String, value: String)]) {
        fields = query.map { ($0.name, $0.value) }
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
        fields.first { $0.0 == name && !$0.1.isEmpty }?.1
    }

    /// The fields with these names, in the order of the names.
    func fields(named names: [String]) -> [(name: String, value: String)] {
        names.compactMap { name in self[name].map { (name, $0) } }
    }
}
