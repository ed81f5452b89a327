/// Collects the problems of a configuration, so that the operator can correct all of them at once.
package struct ProblemCollector: Sendable {
    package private(set) var problems: [String] = []

    package init() {}

    /// - Parameter name: the name of the setting or member that has the problem.
    package mutating func add(_ name: String, _ problem: String) {
        problems.append("\(name): \(problem)")
    }

    package mutating func add(_ other: ProblemCollector) {
        problems += other.problems
    }

    /// Parses the value of the setting or member `name`. Records a problem if the value is invalid.
    ///
    /// - Parameters:
    ///   - expected: the description of valid values in the message.
    ///   - seen: the value that the message shows; `nil` for a secret.
    ///   - parse: returns `nil` for an invalid value.
    package mutating func value<Input, Value>(
        of name: String, _ input: Input, expected: String, seen: String?, _ parse: (Input) -> Value?
    ) -> Value? {
        if let value = parse(input) { return value }
        add(name, "expected \(expected)" + (seen.map { ", got \($0)" } ?? ""))
        return nil
    }

    /// - Throws: ``ConfigurationError`` if there is any problem.
    package func requireNoProblems() throws(ConfigurationError) {
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    }
}

/// Every problem of a configuration.
package struct ConfigurationError: Error, CustomStringConvertible {
    package let problems: [String]

    package init(problems: [String]) {
        self.problems = problems
    }

    package var description: String {
        "invalid configuration:\n" + problems.map { "  - \($0)" }.joined(separator: "\n")
    }
}
