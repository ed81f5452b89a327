package import Telemetry

/// The lines that `dev` logs on a terminal: one readable line for a request or event, instead of JSON.
package enum DevLog {
    /// Returns a line such as `12:30:59 200 signUp 3 ms`, without the newline.
    ///
    /// - Parameter time: hours, minutes and seconds.
    package static func line(_ level: Log.Level, _ message: String, _ fields: LogFields, time: String) -> String {
        guard message == "request", let status = fields["status"]?.text else {
            let details = fields.all.map { " \($0.name)=\($0.value.text)" }.joined()
            return "\(time) \(level): \(message)\(details)"
        }
        let unmatched = [fields["method"]?.text, fields["path"]?.text].compactMap(\.self).joined(separator: " ")
        let operation = fields["operationId"]?.text ?? unmatched
        let milliseconds = fields["ms"]?.text.prefix { $0 != "." } ?? "0"
        let notes = ["refusal", "cause"].compactMap { fields[$0]?.text }
        return ([time, status, operation, "\(milliseconds) ms"] + notes).filter { !$0.isEmpty }.joined(separator: " ")
    }
}
