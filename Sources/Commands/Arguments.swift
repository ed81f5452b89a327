internal import Gateway
internal import Identity

/// The arguments of a command, parsed according to its table of options.
struct Arguments: Sendable {
    private let options: [Option]
    private var values: [String: [String]] = [:]
    /// Empty for a command without an operand.
    private(set) var operand = ""

    init(_ words: [String], options: [Option], operand: Operand? = nil) throws(UsageError) {
        self.options = options
        var operands: [String] = []
        var remaining = words[...]
        while let word = remaining.popFirst() {
            guard word.hasPrefix("--") else {
                operands.append(word)
                continue
            }
            try parse(word, &remaining)
        }
        if let operand {
            guard let first = operands.first, operands.count == 1 else {
                let seen = operands.isEmpty ? "none" : operands.joined(separator: " ")
                throw UsageError(message: "expected exactly one \(operand.noun), got \(seen)")
            }
            self.operand = first
        } else if let word = operands.first {
            throw UsageError(message: "unexpected argument: \(word)")
        }
        for option in options where option.isRequired && values[option.name] == nil {
            throw UsageError(message: "--\(option.name) is required")
        }
    }

    private mutating func parse(_ word: String, _ remaining: inout ArraySlice<String>) throws(UsageError) {
        let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map(String.init)
        guard let option = options.first(where: { $0.name == parts[0] }) else {
            let names = options.map { "--\($0.name)" }
            throw UsageError(
                message: "unknown option --\(parts[0])" + NearestName.question("--\(parts[0])", among: names))
        }
        guard option.takesValue else {
            guard parts.count == 1 else {
                throw UsageError(message: "--\(option.name) takes no value, got \"\(parts[1])\"")
            }
            values[option.name, default: []].append("")
            return
        }
        guard let value = parts.count == 2 ? parts[1] : remaining.popFirst() else {
            throw UsageError(message: "--\(option.name) requires a value")
        }
        guard option.accepts(value) else {
            throw UsageError(message: "--\(option.name): expected \(option.expectation ?? "a value"), got \"\(value)\"")
        }
        values[option.name, default: []].append(value)
    }

    /// Returns the last value of an option, or the option's default; `nil` if the option has neither.
    func optionalText(_ name: String) -> String? {
        let option = options.first { $0.name == name }
        assert(option != nil, "--\(name) is not in the command's table")
        return values[name]?.last ?? option?.defaultValue
    }

    func text(_ name: String) throws(UsageError) -> String {
        guard let text = optionalText(name) else { throw UsageError(message: "--\(name) is required") }
        return text
    }

    func texts(_ name: String) -> [String] { values[name] ?? [] }

    func has(_ name: String) -> Bool { values[name] != nil }

    func optionalNumber(_ name: String) -> Int? { optionalText(name).flatMap { Int($0) } }

    func number(_ name: String) throws(UsageError) -> Int {
        guard let number = optionalNumber(name) else { throw UsageError(message: "--\(name) is required") }
        return number
    }

    func optionalChoice<Choice: RawRepresentable<String>>(_ name: String) -> Choice? {
        optionalText(name).flatMap { Choice(rawValue: $0) }
    }

    func choice<Choice: RawRepresentable<String>>(_ name: String) throws(UsageError) -> Choice {
        guard let choice: Choice = optionalChoice(name) else { throw UsageError(message: "--\(name) is required") }
        return choice
    }

    /// Asks the operator to confirm a dangerous command, unless `--yes` is given.
    ///
    /// - Throws: ``UsageError`` if standard input is not a terminal; ``Failure`` if the operator does not confirm.
    func requireConfirmation(_ question: String) throws {
        if has("yes") { return }
        guard Terminal.isInteractive else {
            throw UsageError(message: "standard input is not a terminal: confirm the command with --yes")
        }
        guard Terminal.ask("\(question) Enter yes to continue: ") == "yes" else {
            throw Failure(message: "not confirmed, nothing was changed")
        }
    }

    /// Returns the content of the file whose path is the value of an option; `nil` without the option.
    func file<Content>(
        _ name: String, _ read: (String) throws(UnreadableFile) -> Content
    ) throws(UsageError) -> Content? {
        guard let path = optionalText(name) else { return nil }
        do {
            return try read(path)
        } catch {
            throw UsageError(message: "--\(name): \(error)")
        }
    }

    func project() throws(UsageError) -> ID<Project> { try ID(projectNamed: try text("project")) }

    /// Returns the tenant `--tenant` of `--project`; the project itself without `--tenant`.
    func realm() throws(UsageError) -> ID<Realm> {
        let project = try project()
        guard let text = optionalText("tenant") else { return ID(project) }
        let tenant = ID<Tenant>(text)
        guard tenant.isValidTenantID else {
            throw UsageError(message: "--tenant: expected a tenant ID, got \"\(text)\"")
        }
        return ID(tenant, of: project)
    }
}

extension ID where Subject == Project {
    /// - Throws: ``UsageError`` if `text` contains a slash, as in `PROJECT/TENANT`.
    init(projectNamed text: String) throws(UsageError) {
        guard !text.contains("/") else {
            throw UsageError(message: "expected a project ID, got the tenant \"\(text)\"")
        }
        self.init(text)
    }
}
