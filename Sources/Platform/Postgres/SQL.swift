/// A statement whose values are sent separately from its text.
///
/// Interpolating a value makes it a parameter (`$1`, `$2`, …). Interpolating an `SQL` inserts its text and renumbers
/// its parameters. Everything else must be literal in the source code: run-time text cannot become part of a statement.
///
/// Parameters are sent with their types: `Int` is `bigint`, `String` is `text`. For another type, use a cast:
/// `\(json)::jsonb`.
public struct SQL: Sendable, ExpressibleByStringInterpolation, CustomStringConvertible, CustomReflectable {
    private enum Piece {
        case literal(StaticString)
        case parameter
    }

    private var pieces: [Piece]
    public private(set) var parameters: [Parameter]

    public init(stringLiteral value: StaticString) {
        pieces = [.literal(value)]
        parameters = []
    }

    public init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.sql
    }

    private init() {
        pieces = []
        parameters = []
    }

    /// The text for the server; each text is prepared once per connection.
    public var text: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        var number = 0
        for piece in pieces {
            switch piece {
            case .literal(let text): text.withUTF8Buffer { bytes.append(contentsOf: $0) }
            case .parameter:
                number += 1
                bytes.append(UInt8(ascii: "$"))
                bytes.append(contentsOf: String(number).utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text without values.
    public var description: String { text }
    public var customMirror: Mirror { Mirror(self, children: ["text": text]) }

    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql = SQL()

        public init(literalCapacity: Int, interpolationCount: Int) {
            sql.pieces.reserveCapacity(2 * interpolationCount + 1)
            sql.parameters.reserveCapacity(interpolationCount)
        }

        public mutating func appendLiteral(_ literal: StaticString) {
            sql.pieces.append(.literal(literal))
        }

        public mutating func appendInterpolation<Value: PostgresEncodable>(_ value: Value) {
            sql.pieces.append(.parameter)
            sql.parameters.append(value.postgresParameter)
        }

        /// `nil` is NULL. A separate overload, because otherwise the compiler warns of an optional in a string.
        public mutating func appendInterpolation<Value: PostgresEncodable>(_ value: Value?) {
            sql.pieces.append(.parameter)
            sql.parameters.append(value.postgresParameter)
        }

        public mutating func appendInterpolation(_ fragment: SQL) {
            sql.append(fragment)
        }
    }

    fileprivate mutating func append(_ fragment: SQL) {
        pieces += fragment.pieces
        parameters += fragment.parameters
    }
}

extension Sequence where Element == SQL {
    /// Joins fragments, for example the conditions of a `WHERE`.
    public func joined(separator: SQL) -> SQL {
        var result: SQL = ""
        for (index, fragment) in enumerated() {
            if index > 0 { result.append(separator) }
            result.append(fragment)
        }
        return result
    }
}
