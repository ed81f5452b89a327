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
