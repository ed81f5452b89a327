internal import API
internal import Console
internal import HTML
internal import HTTP
internal import Identity

extension StartPages {
    /// One request with its response.
    func requestScreen(_ number: String, _ context: ScreenContext) -> Screen {
        guard let request = Int(number).flatMap(requests.request(number:)) else {
            return .notFound(
                "There is no such request", "The gateway keeps the last \(RecordedRequests.limit) requests in memory.")
        }
        let explanation = request.errorCode.flatMap { ErrorCode(rawValue: $0)?.explanation }
        let query = request.query.isEmpty ? [] : [("Query", Markup(.code, text: request.query))]
        return Screen(
            request.title,
            [
                .markup(Self.links([("All requests", Self.path("/dev/requests", context.realm))])),
                .section(
                    "Result",
                    [
                        .markup(
                            .details(
                                [
                                    ("Status", request.statusMarkup),
                                    ("Path", Markup(.code, text: request.path)),
                                ] + query + [
                                    ("Operation", .text(request.operationID ?? "none has this path and method")),
                                    ("Duration", .text("\(request.milliseconds) ms")),
                                    ("Time", .time(request.time.milliseconds, now: context.now)),
                                ]))
                    ] + (explanation.map { [.paragraph($0)] } ?? [])),
                .columns([
                    .section("Request body", [Self.body(request.requestBody, "Request body")]),
                    .section("Response body", [Self.body(request.responseBody, "Response body")]),
                ]),
                .section(
                    "Copy as curl",
                    [
                        .markup(.commandLine(Self.curl(of: request, context))),
                        .paragraph("\(SecretMasking.mask) stands for a secret, which the gateway does not keep."),
                    ]),
            ])
    }

    private static func body(_ text: String?, _ label: String) -> ScreenBlock {
        guard let text else { return .paragraph("None.") }
        return .markup(Markup(.pre, [.focusable, .role("group"), .label(label)], [Markup(.code, text: text)]))
    }

    /// A command line that sends the request again, with a mask in place of each secret.
    private static func curl(of request: RecordedRequest, _ context: ScreenContext) -> String {
        let target = context.origin + request.path + (request.query.isEmpty ? "" : "?" + request.query)
        var lines = ["curl \(CurlCommand.quoted(target))"]
        if request.method != (request.sentBody == nil ? .get : .post) { lines.append("-X \(request.method.rawValue)") }
        if request.isOwner { lines.append("-H 'Authorization: Bearer owner'") }
        if let body = request.sentBody {
            if let type = request.contentType { lines.append("-H \(CurlCommand.quoted("Content-Type: \(type)"))") }
            lines.append("-d \(CurlCommand.quoted(body))")
        }
        return lines.joined(separator: " \\\n  ")
    }
}
