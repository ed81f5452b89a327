import HTTP

extension Response {
    var text: String { String(decoding: body, as: UTF8.self) }
}
