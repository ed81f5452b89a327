/// One JSON object per line: `time`, `level`, `message`, then the fields by name. Never give it tokens, addresses
/// or bodies.
///
/// Logging never waits: lines go through a bounded queue, and those that do not fit are counted.
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
    ///   - level: the lowest that is written.
    ///   - descriptor: 1 or 2 usually; stays the caller's.
    ///   - capacity: how many bytes may wait for a slow reader.
    public init(level: Level = .info, descriptor: Int32, capacity: Int = 1 << 20) {
        self.level = level
        writer = LogWriter(descriptor: descriptor, capacity: capacity) { count in
            Self.line(.warning, "log lines dropped", ["count": .int(count)])
        }
    }

    deinit { writer.close() }

    /// Lines lost since the start, because the reader was too slow or went away.
    public var droppedLines: Int { writer.dropped }

    public func debug(_ message: String, _ fields: LogFields = [:]) { write(.debug, message, fields) }
    public func info(_ message: String, _ fields: LogFields = [:]) { write(.info, message, fields) }
    public func warning(_ message: String, _ fields: LogFields = [:]) { write(.warning, message, fields) }
    public func error(_ message: String, _ fields: LogFields = [:]) { write(.error, message, fields) }

    /// Blocks until all that was logged so far is written; for the end of the process.
    ///
    /// - Returns: `false` if that took too long.
    @discardableResult
    public func flush(within timeout: Duration) -> Bool { writer.flush(within: timeout) }

    /// - Parameter fields: those with a name of our own are left out.
    private func write(_ level: Level, _ message: String, _ fields: LogFields) {
        guard level >= self.level else { return }
        writer.append(Self.line(level, message, fields))
    }

    private static func line(_ level: Level, _ message: String, _ fields: LogFields) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(384)
        line += #"{"time":""#.utf8
        Timestamp.now().append(to: &line)
        line += #"","level":""#.utf8
        line += level.name.utf8
        line += #"","message":"#.utf8
        LogValue.append(quoted: message, to: &line)
        for (name, value) in fields.byName where !isOurs(name) {
            line.append(UInt8(ascii: ","))
            LogValue.append(quoted: name, to: &line)
            line.append(UInt8(ascii: ":"))
            value.append(to: &line)
        }
        line += "}\n".utf8
        return line
    }

    private static func isOurs(_ name: String) -> Bool { name == "time" || name == "level" || name == "message" }
}
