internal import Encoding
package import HTTP
internal import JSON

/// The audit events that the screen's filters select, as a file of JSON lines.
package enum AuditFile {
    /// The maximum number of events of a file. The newest are in it.
    static let limit = 10_000
    private static let pageSize = 1000

    package static func response(_ context: ScreenContext) async throws -> Response {
        let parameters = AuditScreen.parameters(of: context.request)
        var lines: [UInt8] = []
        var token: String?
        var count = 0
        repeat {
            let result = try await context.perform(
                try context.catalog.call(
                    "listAuditEvents", in: context.realm,
                    query: parameters + [.init("pageSize", "\(pageSize)")]
                        + (token.map { [.init("pageToken", $0)] } ?? [])))
            guard result.isSuccess else { return .text(status: 400, result.errorMessage) }
            let events = (result.json?["auditEvents"]).elements
            for event in events { lines += try StrictJSON.encode(event) + [UInt8(ascii: "\n")] }
            count += events.count
            token = result.json?["nextPageToken"]?.text
        } while token != nil && count < limit
        return Response(
            status: 200,
            headers: [
                "Content-Type": "application/x-ndjson", "Cache-Control": "no-store",
                "Content-Disposition": "attachment; filename=\"audit.jsonl\"",
                "Cross-Origin-Resource-Policy": "same-origin",
            ], body: lines)
    }
}
