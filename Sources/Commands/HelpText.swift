/// A table of terms and their descriptions, under a title.
struct HelpTable: Sendable {
    let title: String
    let rows: [(term: String, description: String)]
}

/// Formats help texts for 80 columns.
enum HelpText {
    private static let width = 80
    private static let maximumTermWidth = 30
    private static let version = "\nRun `sekisho --version` for the version."

    static func text(of command: Command) -> String {
        let synopses = command.options.filter(\.isRequired).map(\.synopsis)
        let hasOptional = command.options.contains { !$0.isRequired }
        let usage =
            ["Usage: sekisho \(command.synopsis)"] + synopses + (hasOptional ? ["[OPTION]..."] : [])
        var blocks = [
            wrapped(usage.joined(separator: " "), width: width - 2).joined(separator: "\n  "),
            wrapped(command.summary + ".").joined(separator: "\n"),
        ]
        if !command.options.isEmpty {
            blocks.append(
                block(HelpTable(title: "Options", rows: command.options.map { ($0.synopsis, $0.help) })))
        }
        blocks += command.details.map { wrapped($0).joined(separator: "\n") }
        blocks += command.tables.map(block)
        if !command.environment.isEmpty {
            blocks.append(
                wrapped("Environment: \(command.environment.joined(separator: ", "))").joined(separator: "\n"))
        }
        return blocks.joined(separator: "\n\n")
    }

    /// Returns the summaries of the commands that begin with `words`, or of all commands if none do.
    static func overview(of all: [Command], under words: [String]) -> String {
        let matching = all.filter { $0.words.starts(with: words) }
        let shown = matching.isEmpty ? all : matching
        let commands = HelpTable(title: "Commands", rows: shown.map { ($0.synopsis, $0.summary) })
        let isGroup = !matching.isEmpty && !words.isEmpty
        let introduction =
            isGroup ? "" : "Authentication gateway that implements Firebase Authentication's protocol.\n\n"
        let program = (["sekisho"] + (isGroup ? words : [])).joined(separator: " ")
        return """
            Usage: \(program) COMMAND [OPTION]...

            \(introduction)\(block(commands))

            Run `\(program) COMMAND --help` for the options of a command.\(isGroup ? "" : version)
            Exit status: 0 success, 1 failure, 2 invalid usage or configuration.
            """
    }

    private static func block(_ table: HelpTable) -> String {
        let longest = table.rows.map(\.term.count).filter { $0 <= maximumTermWidth }.max() ?? maximumTermWidth
        // Two spaces before the term, and at least three after it.
        let indent = longest + 5
        let lines = table.rows.flatMap { term, description in
            let text = wrapped(description, width: width - indent)
            let padding = String(repeating: " ", count: indent)
            let following = text.dropFirst().map { padding + $0 }
            guard term.count <= longest else { return ["  \(term)"] + text.map { padding + $0 } }
            let head = "  \(term)".padded(to: indent) + (text.first ?? "")
            return [head] + following
        }
        return (["\(table.title):"] + lines).joined(separator: "\n")
    }

    private static func wrapped(_ text: String, width: Int = width) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}

extension Command {
    /// The words of the command and the placeholder of its operand.
    fileprivate var synopsis: String { (words + [operand?.placeholder].compactMap(\.self)).joined(separator: " ") }
}

extension String {
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
