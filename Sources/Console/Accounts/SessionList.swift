internal import Encoding
internal import HTML
internal import JSON

/// The active sessions of an account, those with the latest login first.
enum SessionList {
    static let limit = 20

    static func block(_ result: APIResult, _ context: ScreenContext) -> ScreenBlock {
        guard result.isSuccess else { return .problem(context.problem(result)) }
        let sessions = (result.json?["sessions"]).elements
        guard !sessions.isEmpty else { return .paragraph("No sessions.") }
        return .markup(
            .table(
                "Sessions", ["Method", "Device", "App", "Signed in", "Last use"],
                sessions.map { row($0, context) }))
    }

    private static func row(_ session: JSONValue, _ context: ScreenContext) -> [Markup] {
        let time = { (member: ByteText) -> Markup in
            (session[member]?.text).flatMap(RFC3339.microsecondsSince1970).map { .time($0 / 1000, now: context.now) }
                ?? .text("")
        }
        let device = session["supportAccess"].isTrue ? "Support access" : session["device"]?.text ?? "unknown"
        let app = session["appDisplayName"]?.text ?? session["appId"]?.text ?? ""
        return [
            .text(Words.method(session["signInProvider"]?.text ?? "")),
            .isolated(device.shortened(to: 60)), .isolated(app.shortened(to: 40)), time("createdAt"),
            time("lastUsedAt"),
        ]
    }
}
