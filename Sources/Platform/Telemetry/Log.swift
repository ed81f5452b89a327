internal import Encoding
internal import Glibc

/// Writes one JSON object per line: `time`, `level`, `message`, then the fields sorted by name. Never log tokens, email
/// addresses, whole addresses of clients, or bodies.
///
/// Logging never blocks. Lines wait in a queue of limited size; lines that do not fit are dropped and counted.
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

    /// Returns the text of a line without the newline. `time` has hours, minutes and seconds (UTC).
    public typealias Format =
        @Sendable (_ level: Level, _ message: String, _ fields: LogFields, _ time: String) -> String

    private let level: Level
    private let format: Format?
    private let writer: LogWriter
    private let repeatedErrors = RepeatedErrors()

    /// - Parameters:
    ///   - level: the lowest level that is written.
    ///   - descriptor: usually 1 or 2. The log does not close it.
    ///   - format: the format of lines for a terminal; `nil` for JSON. Control characters are replaced.
    ///   - capacity: the maximum size of queued lines in bytes.
    public init(level: Level = .info, descriptor: Int32, format: Format? = nil, capacity: Int = 1 << 20) {
        self.level = level
        self.format = format
        writer = LogWriter(descriptor: descriptor, capacity: capacity) { count in
            Self.line(.warning, "log lines dropped", ["count": .int(count)])
        }
    }

    deinit { writer.close() }

    /// The number of lines that were dropped since the start, because the queue was full or a write failed.
    public var droppedLines: Int { writer.dropped }

    public func debug(_ message: String, _ fields: LogFields = [:]) { write(.debug, message, fields) }
    public func info(_ message: String, _ fields: LogFields = [:]) { write(.info, message, fields) }
    public func warning(_ message: String, _ fields: LogFields = [:]) { write(.warning, message, fields) }
    public func error(_ message: String, _ fields: LogFields = [:]) { write(.error, message, fields) }

    /// Writes an error, unless an error with the same cause was written within the last second. The field `repeated` of
    /// a later line counts the errors that were not written. ``writeRepeatedErrors()`` must be called every second.
    public func error(_ message: String, cause: String, _ fields: LogFields) {
        guard let repeated = repeatedErrors.add(cause, at: .now) else { return }
        write(.error, message, cause: cause, repeated: repeated, fields)
    }

    /// Writes a line for each cause with errors that were not written.
    public func writeRepeatedErrors() {
        for (cause, count) in repeatedErrors.takeDue(at: .now) {
            write(.error, "repeated", cause: cause, repeated: count, [:])
        }
    }

    private func write(_ level: Level, _ message: String, cause: String, repeated: Int, _ fields: LogFields) {
        var fields = fields
        fields.add("cause", .string(cause))
        if repeated > 0 { fields.add("repeated", .int(repeated)) }
        write(level, message, fields)
    }

    /// Blocks until all previous lines have been written; for the end of the process.
    ///
    /// - Returns: `false` after a timeout.
    @discardableResult
    public func flush(within timeout: Duration) -> Bool { writer.flush(within: timeout) }

    /// - Parameter fields: a field named `time`, `level` or `message` is omitted.
    private func write(_ level: Level, _ message: String, _ fields: LogFields) {
        guard level >= self.level else { return }
        writer.append(format.map { Self.line(level, message, fields, in: $0) } ?? Self.line(level, message, fields))
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
        for (name, value) in fields.sortedByName where !isStandard(name) {
            line.append(UInt8(ascii: ","))
            LogValue.append(quoted: name, to: &line)
            line.append(UInt8(ascii: ":"))
            value.append(to: &line)
        }
        line += "}\n".utf8
        return line
    }

    private static func line(_ level: Level, _ message: String, _ fields: LogFields, in format: Format) -> [UInt8] {
        var now: [UInt8] = []
        RFC3339.append(millisecondsSince1970: millisecondsSince1970(), to: &now)
        let text = format(level, message, fields, String(decoding: now.dropFirst(11).prefix(8), as: UTF8.self))
        let scalars = text.unicodeScalars.map { scalar in
            switch scalar.value {
            case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029: Unicode.Scalar(0xFFFD as UInt16) ?? " "
            default: scalar
            }
        }
        return Array(String(String.UnicodeScalarView(scalars)).utf8) + [UInt8(ascii: "\n")]
    }

    private static func millisecondsSince1970() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    private static func isStandard(_ name: String) -> Bool { name == "time" || name == "level" || name == "message" }
}

/// The value of a log field.
public enum LogValue: Sendable, Equatable {
    case string(String)
    case int(Int)
    case double(Double)
    case bool(Bool)

    /// The value without quotation marks, for a line on a terminal.
    public var text: String {
        switch self {
        case .string(let text): text
        case .int(let number): String(number)
        case .double(let number): String(number)
        case .bool(let flag): String(flag)
        }
    }

    /// Appends the value as JSON. Infinities and NaN are written as strings, because JSON has no such numbers.
    func append(to line: inout [UInt8]) {
        switch self {
        case .string(let text): Self.append(quoted: text, to: &line)
        case .int(let number): line += String(number).utf8
        case .double(let number) where number.isFinite: line += String(number).utf8
        case .double(let number): Self.append(quoted: String(number), to: &line)
        case .bool(let flag): line += (flag ? "true" : "false").utf8
        }
    }

    /// Appends `text` as a JSON string. Escapes the characters that JSON does not allow in strings, and those that end
    /// a line or control a terminal.
    static func append(quoted text: String, to line: inout [UInt8]) {
        line.append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) {
            line += text.utf8
        } else {
            for scalar in text.unicodeScalars { append(escaping: scalar, to: &line) }
        }
        line.append(UInt8(ascii: "\""))
    }

    private static func append(escaping scalar: Unicode.Scalar, to line: inout [UInt8]) {
        switch scalar.value {
        case 0x22: line += "\\\"".utf8
        case 0x5C: line += "\\\\".utf8
        case 0x0A: line += "\\n".utf8
        case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029:
            line += "\\u".utf8
            line += Hexadecimal.encode([UInt8(scalar.value >> 8), UInt8(scalar.value & 0xFF)]).utf8
        default: line += Array(String(scalar).utf8)
        }
    }
}

/// The fields of a log line. Names must be unique.
public struct LogFields: Sendable, ExpressibleByDictionaryLiteral {
    private var pairs: [(name: String, value: LogValue)]

    public init(dictionaryLiteral elements: (String, LogValue)...) {
        pairs = elements.map { (name: $0, value: $1) }
    }

    public mutating func add(_ name: String, _ value: LogValue) {
        pairs.append((name, value))
    }

    var sortedByName: [(name: String, value: LogValue)] { pairs.sorted { $0.name < $1.name } }

    /// The fields, sorted by name.
    public var all: [(name: String, value: LogValue)] { sortedByName }

    public subscript(name: String) -> LogValue? { pairs.first { $0.name == name }?.value }
}
