/// Reads settings from the environment and collects every problem.
///
/// `NAME_FILE` can be set instead of `NAME`, to the path of a file with the value.
package struct SettingsReader {
    private let environment: [String: String]
    private let contents: (String) throws(UnreadableFile) -> String
    private(set) var collector = ProblemCollector()

    /// - Parameter contents: returns the text of the file at a path.
    init(environment: [String: String], contents: @escaping (String) throws(UnreadableFile) -> String) {
        self.environment = environment
        self.contents = contents
    }

    /// Returns the value of a setting, or its default; `nil` if it has neither, or if this call recorded a problem.
    package mutating func text(_ setting: Setting) -> String? {
        let direct = environment[setting.name].flatMap { $0.isEmpty && !setting.acceptsEmpty ? nil : $0 }
        guard let path = environment[setting.name + "_FILE"], !path.isEmpty else { return direct ?? setting.fallback }
        guard direct == nil else {
            collector.add(setting.name, "\(setting.name)_FILE is set too: use only one of them")
            return nil
        }
        do {
            return try contents(path).withoutFinalNewline
        } catch {
            collector.add("\(setting.name)_FILE", error.description)
            return nil
        }
    }

    /// Returns the parsed value of a setting. If the setting has no value and no default, records a problem.
    ///
    /// - Parameters:
    ///   - expected: the description of valid values in the message about an invalid value.
    ///   - parse: returns `nil` for an invalid value.
    package mutating func required<Value>(_ setting: Setting, _ expected: String, _ parse: (String) -> Value?) -> Value?
    {
        let count = collector.problems.count
        let value = optional(setting, expected, parse)
        if value == nil, collector.problems.count == count {
            collector.add(setting.name, "is not set; expected \(setting.meaning)")
        }
        return value
    }

    /// Returns the parsed value of a setting; `nil` if the setting has no value and no default, or if this call
    /// recorded a problem.
    ///
    /// - Parameters:
    ///   - expected: the description of valid values in the message about an invalid value.
    ///   - parse: returns `nil` for an invalid value.
    package mutating func optional<Value>(_ setting: Setting, _ expected: String, _ parse: (String) -> Value?) -> Value?
    {
        guard let text = text(setting) else { return nil }
        return collector.value(
            of: setting.name, text, expected: expected, seen: setting.isSecret ? nil : "\"\(text)\"", parse)
    }

    mutating func number(_ setting: Setting, in range: ClosedRange<Int>) -> Int? {
        required(setting, "an integer from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Records each variable whose name begins with `SEKISHO_` and is not a setting, because a misspelled setting
    /// would have no effect.
    mutating func rejectUnknownVariables() {
        let names = Settings.all.flatMap { [$0.name, $0.name + "_FILE"] }
        for name in environment.keys.filter({ $0.hasPrefix("SEKISHO_") && !names.contains($0) }).sorted() {
            collector.add(name, "unknown variable" + NearestName.question(name, among: names))
        }
    }

    /// Records a problem of a setting.
    mutating func add(_ setting: Setting, _ problem: String) {
        collector.add(setting.name, problem)
    }

    /// - Throws: ``ConfigurationError`` with every problem so far.
    package func requireNoProblems() throws(ConfigurationError) {
        try collector.requireNoProblems()
    }
}

/// An environment variable that `Deploy/sekisho.env.example` lists.
package struct Setting: Sendable {
    let name: String
    /// The default, written as in the environment; `nil` if there is none.
    let fallback: String?
    let meaning: String
    /// Whether an empty value differs from a variable that is not set.
    var acceptsEmpty = false
    /// Whether errors must not show the value.
    var isSecret = false
}
