internal import Gateway
internal import Glibc

/// Plain lines to the person at the terminal, or whatever stands in for one.
enum Terminal {
    /// All that comes on standard input.
    ///
    /// - Throws: ``Failure`` if that is more than `limit` bytes, or no text.
    static func input(limit: Int) throws -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= limit {
            let count = read(STDIN_FILENO, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        guard bytes.count <= limit else { throw Failure(message: "more than \(limit) bytes on standard input") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(message: "standard input is no UTF-8")
        }
        return text
    }

    static func say(_ text: String) {
        write(text + "\n", to: STDOUT_FILENO)
    }

    static func complain(_ text: String) {
        write("sekisho: " + text + "\n", to: STDERR_FILENO)
    }

    /// As it stands to standard error, to be drawn over.
    static func sketch(_ text: String) {
        write(text, to: STDERR_FILENO)
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
