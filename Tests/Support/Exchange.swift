import HTTP
import Testing

/// The gateway's response to one request, as tests read it.
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
    /// Whether the status is 200, or 204 for an operation that returns nothing.
    var isSuccess: Bool { status == 200 || status == 204 }
    /// `200` or `204`; otherwise the status and the error's message, which begins with the wire code. An error without
    /// a message is represented by its body.
    var outcome: String {
        isSuccess ? "\(status)" : "\(status) \(json["error"]?["message"]?.string ?? text)"
    }
    /// ``outcome``, with the body after `200`.
    var outcomeWithBody: String { status == 200 ? "200 \(text)" : outcome }
}

extension Exchange {
    /// The code of an error, without its detail.
    var wireCode: String? { json["error"]?["message"]?.string.map { String($0.prefix { $0 != " " }) } }

    /// The pending token of an error, or of a successful response.
    var pendingToken: String? {
        json["pendingToken"]?.string ?? json["error"]?["details"]?[0]?["metadata"]?["pendingToken"]?.string
    }

    var location: String? { headers["Location"] }
}

/// The parts of a page.
extension Exchange {
    /// Without tags.
    var heading: String? {
        text.firstMatch(of: #/<h1>(.*?)</h1>/#).map { $0.output.1.replacing(#/<[^>]*>/#, with: "") }.map(String.init)
    }

    /// The hidden fields of the form that requests `step`, by a field or by a button.
    func form(_ step: String) throws -> [String: String] {
        let forms = text.matches(of: #/<form.*?</form>/#.dotMatchesNewlines()).map { String($0.output) }
        let hasButton = text.contains(#"form="actions" name="step" value="\#(step)""#)
        let form = try #require(
            forms.first { hasButton ? $0.contains(#"id="actions""#) : $0.contains(#"name="step" value="\#(step)""#) },
            "no form for \(step)")
        let hidden = form.matches(of: #/type="hidden" name="([^"]*)" value="([^"]*)"/#)
        let fields = hidden.map { (String($0.output.1), String($0.output.2).unescaped) }
        return Dictionary(fields + [("step", step)]) { first, _ in first }
    }

    /// The email action code in the form of a page.
    var formCode: String? { text.firstMatch(of: /name="oobCode" value="([^"]*)"/).map { String($0.output.1) } }

    /// The attribute `data-delivery` of a page: the event for Firebase's SDK, and how the page's script delivers it.
    var delivery: JSON? {
        text.firstMatch(of: #/data-delivery='([^']*)'/#).flatMap { match in
            try? JSON(Array(String(match.output.1).unescaped.utf8))
        }
    }
}

extension String {
    /// The text of an attribute of a page.
    var unescaped: String {
        replacing("&quot;", with: "\"").replacing("&#39;", with: "'").replacing("&lt;", with: "<")
            .replacing("&amp;", with: "&")
    }
}
