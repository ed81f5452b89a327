internal import Encoding
internal import HTTP
internal import JSON

/// A command line that sends a request, for a POSIX shell.
package enum CurlCommand {
    /// Returns the command for a request.
    ///
    /// - Parameters:
    ///   - base: the URL of the gateway, without a slash at the end.
    ///   - bearer: the token of an administrator.
    package static func text(_ call: APICall, base: String, bearer: String) -> String {
        var query = call.query.map { ($0.name, $0.value) }
        if call.credential == .apiKey { query.append(("key", "any")) }
        let target = base + call.path + (query.isEmpty ? "" : "?" + PercentEncoding.encode(form: query))
        var lines = ["curl \(quoted(target))"]
        if call.method != (call.body == nil ? .get : .post) { lines.append("-X \(call.method.rawValue)") }
        if call.credential == .administrator { lines.append("-H \(quoted("Authorization: Bearer \(bearer)"))") }
        if let body = call.body {
            lines.append("-H 'Content-Type: application/json'")
            lines.append("-d \(quoted(JSONValue.object(body).encodedText))")
        }
        return lines.joined(separator: " \\\n  ")
    }

    /// A text in single quotes. Inside them, only a single quote has a meaning.
    package static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: #"'\''"#) + "'"
    }
}
