import HTTP

/// The response to one request, as tests read it.
struct Exchange: Sendable {
    let status: Int
    let headers: Headers
    let body: [UInt8]

    init(_ response: Response) {
        status = response.status
        headers = response.headers
        body = response.body
    }

    init(_ response: ClientResponse) {
        status = response.status
        headers = response.headers
        body = response.body
    }

    var json: JSON { (try? JSON(body)) ?? .null }
    var text: String { String(decoding: body, as: UTF8.self) }
    /// `200`, or the status and the message of the error, which begins with the wire code.
    var outcome: String { status == 200 ? "200" : "\(status) \(json["error"]?["message"]?.string ?? text)" }
}
