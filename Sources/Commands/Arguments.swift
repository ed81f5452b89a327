internal import Gateway
internal import Identity

/// The words after a command: values by option, and the rest in order.
struct Arguments {
    private var options: [String: [String]] = [:]
    private var words: [String] = []

    /// - Parameters:
    ///   - options: names that take a value, as `--name value` or `--name=value`.
    ///   - switches: names that take none.
    init(_ arguments: [String], options: Set<String>, switches: Set<String> = []) throws(UsageError) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--") else {
                words.append(word)
                continue
            }
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map(String.init)
            if switches.contains(parts[0]), parts.count == 1 {
                self.options[parts[0], default: []].append("")
            } else if options.contains(parts[0]), let value = parts.count == 2 ? parts[1] : rest.popFirst() {
                self.options[parts[0], default: []].append(value)
            } else {
                throw UsageError(
                    message: options.contains(parts[0]) ? "--\(parts[0]) needs a value" : "unknown option \(word)")
            }
        }
    }

    /// The last value given.
    func value(_ option: String) -> String? { options[option]?.last }

    func values(_ option: String) -> [String] { options[option] ?? [] }

    func has(_ option: String) -> Bool { options[option] != nil }

    func required(_ option: String) throws(UsageError) -> String {
        guard let value = value(option) else { throw UsageError(message: "--\(option) is missing") }
        return value
    }

    func number<Number: FixedWidthInteger>(_ option: String, in range: ClosedRange<Number>) throws(UsageError)
        -> Number?
    {
        guard let text = value(option) else { return nil }
        guard let number = Number(text), range.contains(number) else {
            throw UsageError(message: "--\(option) takes a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func project() throws(UsageError) -> ID<Project> { try ID(projectNamed: try required("project")) }

    /// The realm of `--project`, or of its `--tenant`.
    func realm() throws(UsageError) -> ID<Realm> {
        let project = try project()
        guard let tenant = value("tenant").map({ ID<Tenant>($0) }) else { return ID(project) }
        guard tenant.canBeTenant else { throw UsageError(message: "--tenant takes a tenant's id") }
        return ID(tenant, of: project)
    }

    func only(_ what: String) throws(UsageError) -> String {
        guard let word = words.first, words.count == 1 else {
            throw UsageError(message: "exactly one \(what) is needed")
        }
        return word
    }

    func none() throws(UsageError) {
        if let word = words.first { throw UsageError(message: "unexpected \(word)") }
    }
}

extension ID where Subject == Project {
    init(projectNamed text: String) throws(UsageError) {
        guard !text.contains("/") else {
            throw UsageError(message: "expected a project ID, got the tenant \"\(text)\"")
        }
        self.init(text)
    }
}
