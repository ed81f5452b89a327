internal import Encoding
internal import HTML
internal import JSON

/// The audit events of an account, newest first.
enum AuditTrailList {
    static func block(_ result: APIResult, _ context: ScreenContext) -> ScreenBlock {
        guard result.isSuccess else { return .problem(context.problem(result)) }
        let events = (result.json?["auditEvents"]).elements
        guard !events.isEmpty else { return .paragraph("No events yet.") }
        return .markup(.table("Audit trail", ["Event", "Actor", "Detail", "Time"], events.map { row($0, context) }))
    }

    private static func row(_ event: JSONValue, _ context: ScreenContext) -> [Markup] {
        let detail: [String] =
            if case .object(let members)? = event["detail"] {
                members.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.text ?? "")" }
            } else { [] }
        let time = event["occurredAt"]?.text ?? ""
        let microseconds = RFC3339.microsecondsSince1970(time)
        return [
            .text(event["action"]?.text ?? ""), .isolated(event["actor"]?.text ?? ""),
            .isolated(detail.joined(separator: ", ")),
            microseconds.map { .time($0 / 1000, now: context.now) } ?? .text(time),
        ]
    }
}
