internal import Encoding
internal import Glibc

/// Writes one JSON object per line: `time`, `level`, `message`, then the fields by name. Never log tokens, addresses or
/// bodies.
///
/// Logging never blocks: lines pass through a bounded queue, and lines that do not fit are counted.
public final class Log: Sendable {
    public enum Level: Int, Sendable, Comparable, CaseIterable {
        case debug, info, warning, error

        public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }

        fileprivate var name: String {
            switch self {
            case .debug: "debug"
            case .info: "info"
            case .warning: "warning"
            case .error: "error"
            }
        }
    }

    private let level: Level
    private let writer: LogWriter

    /// - Parameters:
    ///   - level: the lowest level that is written.
    ///   - descriptor: usually 1 or 2; not closed.
    ///   - capacity: how many bytes may wait for a slow reader.
    public init(level: Level = .info, descriptor: Int32, capacity: Int = 1 << 20) {
        self.level = level
        writer = LogWriter(descriptor: descriptor, capacity: capacity) { count in
            Self.line(.warning, "log lines dropped", ["count": .int(count)])
        }
    }

    deinit { writer.close() }

    /// Lines that were dropped since start-up, because the reader was too slow or closed the descriptor.
    public var droppedLines: Int { writer.dropped }

    public func debug(_ message: String, _ fields: LogFields = [:]) { write(.debug, message, fields) }
    public func info(_ message: String, _ fields: LogFields = [:]) { write(.info, message, fields) }
    public func warning(_ message: String, _ fields: LogFields = [:]) { write(.warning, message, fields) }
    public func error(_ message: String, _ fields: LogFields = [:]) { write(.error, message, fields) }

    /// Blocks until all previous lines have been written; for the end of the process.
    ///
    /// - Returns: `false` after a timeout.
    @discardableResult
    public func flush(within timeout: Duration) -> Bool { writer.flush(within: timeout) }

    /// - Parameter fields: fields with the name of a standard field are left out.
    private func write(_ level: Level, _ message: String, _ fields: LogFields) {
        guard level >= self.level else { return }
        writer.append(Self.line(level, message, fields))
    }

    private static func line(_ level: Level, _ message: String, _ fields: LogFields) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(384)
        line += #"{"time":""#.utf8
        RFC3339.append(millisecondsSince1970: millisecondsSince1970(), to: &line)
        line += #"","level":""#.utf8
        line += level.name.utf8
        line += #"","message":"#.utf8
        LogValue.append(quoted: message, to: &line)
        for (name, value) in fields.byName where !isStandard(name) {
            line.append(UInt8(ascii: ","))
            LogValue.append(quoted: name, to: &line)
            line.append(UInt8(ascii: ":"))
            value.append(to: &line)
        }
        line += "}\n".utf8
        return line
    }

    private static func millisecondsSince1970() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    private static func isStandard(_ name: String) -> Bool { name == "time" || name == "level" || name == "message" }
}
