internal import Glibc
internal import Synchronization

/// Shows the progress of a command on standard error. On a terminal, each text overwrites the previous one. Otherwise,
/// a new line is written each time another ``itemsPerLine`` items are done.
final class ProgressLine: Sendable {
    private let itemsPerLine: Int
    private let isOnTerminal = isatty(STDERR_FILENO) == 1
    private let linesWritten = Mutex(0)

    init(itemsPerLine: Int) {
        self.itemsPerLine = itemsPerLine
    }

    /// - Parameters:
    ///   - text: the progress after `count` items.
    ///   - bar: precedes the text, on a terminal only.
    func show(_ text: String, after count: Int, bar: String = "") {
        if isOnTerminal {
            Terminal.writeProgress("\r\u{1B}[K\(bar)\(text)")
            return
        }
        let lines = count / itemsPerLine
        let isDue = linesWritten.withLock { written in
            defer { written = max(written, lines) }
            return lines > written
        }
        if isDue { Terminal.writeProgress("\(text)\n") }
    }

    /// Clears the line of a terminal, so that other lines can follow.
    func clear() {
        if isOnTerminal { Terminal.writeProgress("\r\u{1B}[K") }
    }
}
