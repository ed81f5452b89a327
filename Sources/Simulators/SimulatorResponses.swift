internal import HTTP
internal import JSON

/// The fields of a form; the first value of a name counts.
struct Form {
    private let fields: [(String, String)]

    /// - Returns: `nil` unless the request declares and contains a valid form.
    init?(_ request: Request) {
        let type = request.headers["Content-Type"]?.lowercased() ?? ""
        guard
            type.split(separator: ";").first == "application/x-www-form-urlencoded",
            let fields = FormDecoder.decode(request.body)
        else { return nil }
        self.fields = fields
    }

    /// `nil` also for an empty value.
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

/// The base URL of the request, for documents that contain endpoints.
func origin(of request: Request) -> String { "http://\(request.headers["Host"] ?? "127.0.0.1")" }
