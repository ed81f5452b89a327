/// A statement whose values are sent separately from its text.
///
/// Interpolating a value makes it a parameter (`$1`, `$2`, …). Interpolating an `SQL` inserts its text and renumbers
/// its parameters. All other text must be literal in the source code, so that run-time text cannot become part of
/// a statement.
///
/// Parameters are sent with their types: `Int` is `bigint`, `String` is `text`. For another type, use a cast:
/// `\(json)::jsonb`.
public struct SQL: Sendable, ExpressibleByStringInterpolation, CustomStringConvertible, CustomReflectable {
    /// A part of the text. It has no references, because a statement is composed by copying some hundred pieces.
    enum Piece: Equatable, @unchecked Sendable {
        /// Bytes that are never freed: a literal, or a run of literals of ``SQL/compacted``.
        case text(UnsafeBufferPointer<UInt8>)
        case parameter

        init(_ literal: StaticString) {
            self = .text(UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
        }

        static func == (left: Piece, right: Piece) -> Bool {
            switch (left, right) {
            case (.text(let left), .text(let right)):
                // The same literal is usually at the same address.
                left.count == right.count && (left.baseAddress == right.baseAddress || left.elementsEqual(right))
            case (.parameter, .parameter): true
            case (.text, _), (.parameter, _): false
            }
        }

        /// In bytes of the text. The number of a parameter has at most five digits.
        var maximumLength: Int {
            switch self {
            case .text(let text): text.count
            case .parameter: 6
            }
        }
    }

    private(set) var pieces: [Piece]
    public private(set) var parameters: [Parameter]

    public init(stringLiteral value: StaticString) {
        pieces = [Piece(value)]
        parameters = []
    }

    public init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.sql
    }

    private init() {
        pieces = []
        parameters = []
    }

    /// The text for the server, with numbered parameters.
    public var text: String { Self.text(of: pieces) }

    static func text(of pieces: [Piece]) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pieces.reduce(0) { $0 + $1.maximumLength })
        var number = 0
        for piece in pieces {
            switch piece {
            case .text(let text): bytes.append(contentsOf: text)
            case .parameter:
                number += 1
                bytes.append(UInt8(ascii: "$"))
                bytes.append(contentsOf: String(number).utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The same statement, with each run of literals as one piece that is never freed. Only for a constant: a fragment
    /// of many pieces that is part of many statements.
    public var compacted: SQL {
        var result = SQL()
        result.parameters = parameters
        for run in pieces.split(separator: .parameter, omittingEmptySubsequences: false) {
            if !result.pieces.isEmpty { result.pieces.append(.parameter) }
            let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: run.reduce(0) { $0 + $1.maximumLength })
            _ = bytes.initialize(from: Self.text(of: Array(run)).utf8)
            result.pieces.append(.text(UnsafeBufferPointer(bytes)))
        }
        return result
    }

    /// The text without the values of parameters.
    public var description: String { text }
    public var customMirror: Mirror { Mirror(self, children: ["text": text]) }

    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql = SQL()

        public init(literalCapacity: Int, interpolationCount: Int) {
            sql.pieces.reserveCapacity(2 * interpolationCount + 1)
            sql.parameters.reserveCapacity(interpolationCount)
        }

        public mutating func appendLiteral(_ literal: StaticString) {
            sql.pieces.append(Piece(literal))
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

        public mutating func appendInterpolation(_ parameter: Parameter) {
            sql.pieces.append(.parameter)
            sql.parameters.append(parameter)
        }

        public mutating func appendInterpolation(_ fragment: SQL) {
            sql.append(fragment)
        }

        /// Appends one item for each element, separated by commas. Unlike ``Swift/Sequence/joined(separator:)``, does
        /// not create an `SQL` for each item.
        public mutating func appendInterpolation<Elements: Collection>(
            list elements: Elements, _ append: (inout Self, Elements.Element) -> Void
        ) {
            sql.pieces.reserveCapacity(sql.pieces.count + 2 * elements.count)
            sql.parameters.reserveCapacity(sql.parameters.count + elements.count)
            var isFirst = true
            for element in elements {
                if !isFirst { appendLiteral(", ") }
                isFirst = false
                append(&self, element)
            }
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
