/// An option of a command, for the parser and the help text.
struct Option: Sendable {
    enum Value: Sendable {
        case flag
        case text
        case number(ClosedRange<Int>)
        case choice([String])
    }

    let name: String
    let placeholder: String
    let description: String
    let value: Value
    var defaultValue: String?
    /// The description of the default in a help text, if the default is not a fixed value.
    var defaultNote: String?
    var isRequired = false
    var isRepeatable = false

    static func flag(_ name: String, _ description: String) -> Option {
        Option(name: name, placeholder: "", description: description, value: .flag)
    }

    static func text(
        _ name: String, _ placeholder: String, _ description: String, default defaultValue: String? = nil,
        defaultNote: String? = nil, isRequired: Bool = false, isRepeatable: Bool = false
    ) -> Option {
        Option(
            name: name, placeholder: placeholder, description: description, value: .text, defaultValue: defaultValue,
            defaultNote: defaultNote, isRequired: isRequired, isRepeatable: isRepeatable)
    }

    static func number(
        _ name: String, _ placeholder: String, in range: ClosedRange<Int>, _ description: String,
        default defaultValue: String? = nil, defaultNote: String? = nil
    ) -> Option {
        Option(
            name: name, placeholder: placeholder, description: description, value: .number(range),
            defaultValue: defaultValue, defaultNote: defaultNote)
    }

    static func choice(
        _ name: String, _ placeholder: String, _ choices: [String], _ description: String,
        default defaultValue: String? = nil, defaultNote: String? = nil, isRequired: Bool = false
    ) -> Option {
        Option(
            name: name, placeholder: placeholder, description: description, value: .choice(choices),
            defaultValue: defaultValue, defaultNote: defaultNote, isRequired: isRequired)
    }

    /// The option in a help text: `--name VALUE`, or `--name` for a flag.
    var synopsis: String { takesValue ? "--\(name) \(placeholder)" : "--\(name)" }

    var takesValue: Bool {
        if case .flag = value { false } else { true }
    }

    /// The description of the accepted values; `nil` for a flag and for an option that accepts any text.
    var expectation: String? {
        switch value {
        case .flag, .text: nil
        case .number(let range):
            range.upperBound == .max
                ? "an integer of at least \(range.lowerBound)"
                : "an integer from \(range.lowerBound) to \(range.upperBound)"
        case .choice(let choices):
            choices.count < 2
                ? choices.joined() : "\(choices.dropLast().joined(separator: ", ")) or \(choices[choices.count - 1])"
        }
    }

    func accepts(_ text: String) -> Bool {
        switch value {
        case .flag: false
        case .text: true
        case .number(let range): Int(text).map(range.contains) ?? false
        case .choice(let choices): choices.contains(text)
        }
    }

    /// The description, followed by notes in parentheses, such as the accepted values and the default.
    var help: String {
        var notes: [String] = []
        switch value {
        case .number(let range) where range.upperBound < .max:
            notes.append("\(range.lowerBound) to \(range.upperBound)")
        case .choice: notes.append(expectation ?? "")
        default: break
        }
        if isRequired { notes.append("required") }
        if isRepeatable { notes.append("repeatable") }
        if let shown = defaultValue ?? defaultNote { notes.append("default: \(shown)") }
        return notes.isEmpty ? description : "\(description) (\(notes.joined(separator: "; ")))"
    }
}

extension Option {
    static let project = text("project", "ID", "project ID", isRequired: true)
    static let json = flag("json", "print JSON")
    static let yes = flag("yes", "do not ask for confirmation; required unless standard input is a terminal")
    static let tenant = text("tenant", "ID", "tenant of the project", defaultNote: "the project itself")
}

/// The positional argument of a command.
struct Operand: Sendable {
    let placeholder: String
    /// The name of the operand in error messages.
    let noun: String

    static let file = Operand(placeholder: "FILE", noun: "file")
    static let projectID = Operand(placeholder: "ID", noun: "project ID")
    static let keyID = Operand(placeholder: "KEY_ID", noun: "key ID")
}
