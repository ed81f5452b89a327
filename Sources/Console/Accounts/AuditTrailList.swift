internal import Encoding
internal import HTML
internal import JSON

/// The audit events of an account, newest first.
enum AuditTrailList {
    /// - Parameter showsSubjects: whether the events can have different subjects.
    static func block(_ result: APIResult, showsSubjects: Bool = false, _ context: ScreenContext) -> ScreenBlock {
        guard result.isSuccess else { return .problem(context.problem(result)) }
        let events = (result.json?["auditEvents"]).elements
        guard !events.isEmpty else { return .paragraph("No events yet.") }
        let headings = ["Event"] + (showsSubjects ? ["Subject"] : []) + ["Actor", "Detail", "Time"]
        return .markup(
            .table("Audit trail", headings, events.map { row($0, showsSubject: showsSubjects, context) }))
    }

    /// The subject of an event, with a link if it is an account.
    private static func subject(_ event: JSONValue, _ context: ScreenContext) -> Markup {
        let subject = event["subject"]?.text ?? ""
        let prefixes = ["account.", "session.", "factor.", "passkey.", "identity."]
        let isAccount = prefixes.contains { event["action"]?.text?.beginsExactly(with: $0) == true }
        guard isAccount, !subject.isEmpty else { return .isolated(subject) }
        return .link(context.accountPath(subject), .isolated(subject))
    }

    private static func row(_ event: JSONValue, showsSubject: Bool, _ context: ScreenContext) -> [Markup] {
        let detail: [String] =
            if case .object(let members)? = event["detail"] {
                members.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.text ?? "")" }
            } else { [] }
        let time = event["occurredAt"]?.text ?? ""
        let microseconds = RFC3339.microsecondsSince1970(time)
        return [
            .text(event["action"]?.text ?? "")
        ] + (showsSubject ? [subject(event, context)] : []) + [
            .isolated(event["actor"]?.text ?? ""),
            .isolated(detail.joined(separator: ", ")),
            microseconds.map { .time($0 / 1000, now: context.now) } ?? .text(time),
        ]
    }
}
