internal import Glibc

/// Plain lines to the person at the terminal.
enum Terminal {
    static func say(_ text: String) {
        fputs(text + "\n", stdout)
        fflush(stdout)
    }

    static func complain(_ text: String) {
        fputs("sekisho: " + text + "\n", stderr)
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
