/// The Prometheus text exposition format 0.0.4.
enum Exposition {
    /// - Parameter labels: comma-separated, without braces.
    static func sample(_ name: String, _ labels: String, _ value: Double) -> String {
        name + (labels.isEmpty ? "" : "{" + labels + "}") + " " + number(value)
    }

    static func labels(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { $0.name + "=\"" + escaped($0.value).replacing("\"", with: "\\\"") + "\"" }.joined(
            separator: ",")
    }

    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        // Formats integers without ".0".
        if let integer = Int64(exactly: value), abs(value) < 1e15 { return String(integer) }
        return String(value)
    }

    /// Escapes backslashes and line feeds. Help texts need no other escapes; label values also need escaped quotes.
    static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    }

    static func isMetricName(_ name: String) -> Bool { name.wholeMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*/) != nil }

    /// Whether a label may have this name. `le` is reserved for histograms, and a prefix of two underscores for
    /// Prometheus.
    static func isLabelName(_ name: String) -> Bool {
        name.wholeMatch(of: /[a-zA-Z_][a-zA-Z0-9_]*/) != nil && name != "le" && !name.hasPrefix("__")
    }
}
