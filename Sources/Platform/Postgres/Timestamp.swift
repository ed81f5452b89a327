/// A PostgreSQL `timestamptz`: a point in time in whole microseconds.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Since 1970-01-01 00:00 UTC. PostgreSQL supports the years -4713 to 294276. Other values, including its
    /// "infinity", are rejected as parameters.
    public var microsecondsSinceEpoch: Int64

    public init(microsecondsSinceEpoch: Int64) {
        self.microsecondsSinceEpoch = microsecondsSinceEpoch
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microsecondsSinceEpoch < right.microsecondsSinceEpoch
    }
}

extension Timestamp: PostgresEncodable, PostgresDecodable {
    /// The server counts from 2000-01-01.
    private static let serverEpoch: Int64 = 946_684_800_000_000
    private static let serverRange: Range<Int64> = -211_813_488_000_000_000..<9_223_371_331_200_000_000

    public static var postgresType: PostgresType { .timestamptz }

    public var postgresParameter: Parameter {
        let (value, overflow) = microsecondsSinceEpoch.subtractingReportingOverflow(Self.serverEpoch)
        guard !overflow, Self.serverRange.contains(value) else {
            return Parameter(.timestamptz, .refused("a time beyond what the server can hold"))
        }
        return Parameter(.timestamptz, .integer(bits: UInt64(bitPattern: value), width: 8))
    }

    public init(postgres cell: Cell) throws(DecodingFault) {
        let value: Int64 = try cell.integer(.timestamptz)
        let (microseconds, overflow) = value.addingReportingOverflow(Self.serverEpoch)
        guard !overflow, Self.serverRange.contains(value) else { throw .malformed }
        self.init(microsecondsSinceEpoch: microseconds)
    }
}
