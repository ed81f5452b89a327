internal import Gateway
internal import Glibc
internal import JSON

/// Standard input, output and error of the process.
enum Terminal {
    /// Returns standard input, up to its end or a read error.
    ///
    /// - Throws: ``Failure`` if standard input has more than `limit` bytes, or is not valid UTF-8.
    static func readInput(limit: Int) throws -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= limit {
            let count = read(STDIN_FILENO, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        guard bytes.count <= limit else {
            throw Failure(message: "standard input is too long: expected at most \(limit) bytes")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(message: "standard input is not valid UTF-8")
        }
        return text
    }

    /// Whether a person can answer questions.
    static var isInteractive: Bool { isatty(STDIN_FILENO) == 1 }

    /// Writes a question to standard error, and returns the line that the operator enters.
    static func ask(_ question: String) -> String {
        writeProgress(question)
        return readLine() ?? ""
    }

    /// Writes a value as JSON in one line.
    static func writeJSON(_ value: some Encodable) throws {
        writeJSON(encoded: try StrictJSON.text(value))
    }

    /// Writes JSON, with escapes for the control characters that JSON permits in strings.
    static func writeJSON(encoded json: String) {
        writeLine(json.replacingControls { $0 == "\n" ? "\n" : $0.jsonEscape })
    }

    /// Writes rows below a header as a table; with `--json`, as a list of objects whose members have the names of the
    /// columns in camel case. Empty cells are omitted.
    static func writeList(_ rows: [[String]], _ arguments: Arguments) throws {
        guard arguments.has("json") else { return writeTable(rows) }
        let names = rows.first.map { $0.map(\.camelCased) } ?? []
        try writeJSON(
            rows.dropFirst().map { row in
                Dictionary(uniqueKeysWithValues: zip(names, row).filter { !$1.isEmpty })
            })
    }

    /// Writes lines. Their control characters become escapes.
    static func writeLine(_ text: String) {
        write(text.escapingControlsInLines + "\n", to: STDOUT_FILENO)
    }

    /// Writes lines to standard error, as ``writeLine(_:)`` does.
    static func writeError(_ text: String) {
        write("sekisho: " + text.escapingControlsInLines + "\n", to: STDERR_FILENO)
    }

    /// Writes to standard error without a prefix or a newline, so that the next call can overwrite the line.
    static func writeProgress(_ text: String) {
        write(text, to: STDERR_FILENO)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var remaining = Array(text.utf8)[...]
        while !remaining.isEmpty {
            let count = remaining.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            remaining = remaining.dropFirst(count)
        }
    }

    /// Writes rows in aligned columns, separated by two spaces.
    static func writeTable(_ rows: [[String]]) {
        let rows = rows.map { $0.map(\.escapingControls) }
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        for row in rows {
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            writeLine(line)
        }
    }
}

extension String {
    /// The text with its control characters as escapes: a value of the database, of a file or of a token must not
    /// control the terminal.
    var escapingControls: String { replacingControls { $0.escaped(asASCII: true) } }

    /// As ``escapingControls``, but line feeds stay.
    fileprivate var escapingControlsInLines: String {
        replacingControls { $0 == "\n" ? "\n" : $0.escaped(asASCII: true) }
    }

    fileprivate func replacingControls(with replacement: (Unicode.Scalar) -> String) -> String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        return unicodeScalars.map { $0.isControl ? replacement($0) : String($0) }.joined()
    }

    /// `signInMethods` for `SIGN-IN METHODS`.
    fileprivate var camelCased: String {
        let words = lowercased().split { !$0.isLetter }
        return words.prefix(1).joined() + words.dropFirst().map(\.capitalizedFirst).joined()
    }
}

extension Substring {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { properties.generalCategory == .control }

    /// The escape in a JSON string. A control character has at most two hexadecimal digits.
    fileprivate var jsonEscape: String { (value < 0x10 ? "\\u000" : "\\u00") + String(value, radix: 16) }
}
