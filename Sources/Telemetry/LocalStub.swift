public enum LogValue: Sendable { case string(String), int(Int), double(Double), bool(Bool) }
public struct Log: Sendable {
    public enum Level: String, Sendable { case debug, info, warning, error }
    public init(level: Level, descriptor: Int32) {}
    public func info(_ m: String, _ f: [String: LogValue]) { print(m, f) }
    public func warning(_ m: String, _ f: [String: LogValue]) { print(m, f) }
    public func error(_ m: String, _ f: [String: LogValue]) { print(m, f) }
    public func close() {}
}
public final class Metrics: Sendable { public init() {}
    public func render() -> String { "" } }
