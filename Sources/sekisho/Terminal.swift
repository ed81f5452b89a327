internal import Glibc

/// Plain lines to the person at the terminal.
enum Terminal {
    static func say(_ text: String) {
        write(text + "\n", to: STDOUT_FILENO)
    }

    static func complain(_ text: String) {
        write("sekisho: " + text + "\n", to: STDERR_FILENO)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Columns as wide as their widest cell, two blanks between.
    static func table(_ rows: [[String]]) {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        for row in rows {
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            say(line)
        }
    }
}
