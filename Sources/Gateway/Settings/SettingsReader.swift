/// Every mistake in the environment, found in one go.
package struct ConfigurationError: Error, CustomStringConvertible {
    let problems: [String]

    package init(
        problems: [String]
    ) {
        self.problems = problems
    }

    package var description: String {
        "the configuration cannot be used:\n" + problems.map { "  - \($0)" }.joined(separator: "\n")
    }
}

/// A variable of the environment: what `Deploy/sekisho.env.example` lists, and all that is ever read.
package struct Setting: Sendable {
    let name: String
    /// As it would be written; `nil` if there is none.
    let fallback: String?
    let meaning: String
    /// Set to nothing means something else than not set.
    var takesEmpty = false
}

/// Reads settings, remembering every problem instead of stopping at the first.
///
/// Each variable may also be given as `NAME_FILE`, the path of a file that holds the value (one trailing newline is dropped).
package struct SettingsReader {
    private let environment: [String: String]
    private let contents: (String) -> String?
    var problems: [String] = []

    init(environment: [String: String], contents: @escaping (String) -> String?) {
        self.environment = environment
        self.contents = contents
    }

    package mutating func text(_ setting: Setting) -> String? {
        let direct = environment[setting.name].flatMap { $0.isEmpty && !setting.takesEmpty ? nil : $0 }
        guard let path = environment[setting.name + "_FILE"], !path.isEmpty else { return direct ?? setting.fallback }
        guard direct == nil else {
            problems.append("\(setting.name) and \(setting.name)_FILE are both set: use one")
            return nil
        }
        guard let text = contents(path) else {
            problems.append("\(setting.name)_FILE: \(path) cannot be read")
            return nil
        }
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    /// - Parameter parse: gives `nil` for a value that will not do.
    mutating func required<Value>(_ setting: Setting, _ expected: String, _ parse: (String) -> Value?) -> Value? {
        let before = problems.count
        guard let text = text(setting) else {
            if problems.count == before { problems.append("\(setting.name) is not set: \(setting.meaning)") }
            return nil
        }
        guard let value = parse(text) else {
            problems.append("\(setting.name) must be \(expected)")
            return nil
        }
        return value
    }

    package mutating func optional<Value>(_ setting: Setting, _ expected: String, _ parse: (String) -> Value?) -> Value?
    {
        guard let text = text(setting) else { return nil }
        guard let value = parse(text) else {
            problems.append("\(setting.name) must be \(expected)")
            return nil
        }
        return value
    }

    mutating func number(_ setting: Setting, in range: ClosedRange<Int>) -> Int? {
        required(setting, "a number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// - Throws: ``ConfigurationError`` with everything that was found wrong so far.
    package func finish() throws(ConfigurationError) {
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    }
}
