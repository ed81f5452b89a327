internal import Encoding
internal import HTTP
internal import JSON

extension Response {
    static func json(_ value: some Encodable, status: Int = 200, _ headers: Headers) -> Response {
        do {
            return Response(status: status, headers: headers, body: try StrictJSON.encode(value))
        } catch {
            return .text(status: 500, "The response cannot be encoded")
        }
    }
}

extension JSONValue {
    static func texts(_ texts: String...) -> JSONValue { .array(texts.map(JSONValue.string)) }
}

/// Returns the base URL by which the request reached the simulator, for documents that contain URLs of endpoints.
func origin(of request: Request) -> String { "http://\(request.headers["Host"] ?? "127.0.0.1")" }
