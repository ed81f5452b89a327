internal import HTTP
internal import JSON

/// The fields of a form; the first value of a name counts.
struct Form {
    private let fields: [(String, String)]

    /// - Returns: `nil` unless the request declares a form, and is one.
    init?(_ request: Request) {
        let type = request.headers["Content-Type"]?.lowercased() ?? ""
        guard
            type.split(separator: ";").first == "application/x-www-form-urlencoded",
            let fields = FormDecoder.decode(request.body)
        else { return nil }
        self.fields = fields
    }

    /// Empty is absent.
    subscript(name: String) -> String? {
        fields.first { $0.0 == name && !$0.1.isEmpty }?.1
    }
}

extension Response {
    static func json(_ value: some Encodable, status: Int = 200, _ headers: Headers) -> Response {
        do {
            return Response(status: status, headers: headers, body: try StrictJSON.encode(value))
        } catch {
            return .text(status: 500, "Not encoded")
        }
    }
}

/// Where a client reached the provider, for documents that name endpoints.
func origin(of request: Request) -> String { "http://\(request.headers["Host"] ?? "127.0.0.1")" }
