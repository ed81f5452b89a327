internal import CSystem
internal import FoundationEssentials

/// A statement whose values are sent separately from its text.
///
/// Interpolating a value makes it a parameter (`$1`, `$2`, …). Interpolating an `SQL` inserts its text and renumbers
/// its parameters. All other text must be literal in the source code, so that run-time text cannot become part of
/// a statement.
///
/// Parameters are sent with their types: `Int` is `bigint`, `String` is `text`. For another type, use a cast:
/// `\(json)::jsonb`.
public struct SQL: Sendable, ExpressibleByStringInterpolation, CustomStringConvertible, CustomReflectable {
    enum Piece: Equatable {
        case literal(StaticString)
        /// Several literals; see ``SQL/compacted``.
        case literals(String)
        case parameter

        static func == (left: Piece, right: Piece) -> Bool {
            switch (left, right) {
            case (.literal(let left), .literal(let right)):
                // The same literal is usually at the same address.
                left.withUTF8Buffer { left in
                    right.withUTF8Buffer { right in
                        left.count == right.count
                            && (left.baseAddress == right.baseAddress || left.elementsEqual(right))
                    }
                }
            case (.literals(let left), .literals(let right)): left == right
            case (.parameter, .parameter): true
            case (.literal, _), (.literals, _), (.parameter, _): false
            }
        }

        /// In bytes of the text. The number of a parameter has at most five digits.
        var maximumLength: Int {
            switch self {
            case .literal(let text): text.utf8CodeUnitCount
            case .literals(let text): text.utf8.count
            case .parameter: 6
            }
        }
    }

    private(set) var pieces: [Piece]
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

    /// The text for the server, with numbered parameters.
    public var text: String { Self.text(of: pieces) }

    static func text(of pieces: [Piece]) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pieces.reduce(0) { $0 + $1.maximumLength })
        var number = 0
        for piece in pieces {
            switch piece {
            case .literal(let text): text.withUTF8Buffer { bytes.append(contentsOf: $0) }
            case .literals(let text): bytes.append(contentsOf: text.utf8)
            case .parameter:
                number += 1
                bytes.append(UInt8(ascii: "$"))
                bytes.append(contentsOf: String(number).utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The same statement, with each run of literals as one piece. For a fragment of many pieces that is part of many
    /// statements.
    public var compacted: SQL {
        var result = SQL()
        result.parameters = parameters
        var run = ""
        for piece in pieces {
            switch piece {
            case .literal(let text): run += text.description
            case .literals(let text): run += text
            case .parameter:
                result.pieces += [.literals(run), piece]
                run = ""
            }
        }
        result.pieces.append(.literals(run))
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

/// A value in the server's binary format. `description` and `Mirror` never show it.
public struct Parameter: Sendable, CustomStringConvertible, CustomReflectable {
    enum Value {
        case null
        /// Big-endian, the lowest `width` bytes of `bits`.
        case integer(bits: UInt64, width: Int)
        case text(String)
        case bytes([UInt8])
        case uuid(UUID)
        /// The value cannot be sent; the associated text is the reason.
        case invalid(StaticString)
    }

    let type: PostgresType
    let value: Value

    init(_ type: PostgresType, _ value: Value) {
        self.type = type
        self.value = value
    }

    /// `NULL` of a type.
    public init(null type: PostgresType) {
        self.init(type, .null)
    }

    public var description: String { "a parameter of type \(type.oid)" }
    public var customMirror: Mirror { Mirror(self, children: ["type": type.oid]) }

    /// - Returns: `false` for `NULL`, and for a value that cannot be sent.
    func append(to buffer: inout [UInt8]) -> Bool {
        switch value {
        case .null, .invalid: return false
        case .integer(let bits, let width): buffer.append(bigEndian: bits, width: width)
        case .text(let text): buffer.append(contentsOf: text.utf8)
        case .bytes(let bytes): buffer.append(contentsOf: bytes)
        case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { buffer.append(contentsOf: $0) }
        }
        return true
    }
}

extension [UInt8] {
    /// Appends the lowest `width` bytes of `bits`.
    mutating func append(bigEndian bits: UInt64, width: Int) {
        Swift.withUnsafeBytes(of: bits.bigEndian) { append(contentsOf: $0.suffix(width)) }
    }

    mutating func set(bigEndian bits: UInt32, at position: Int) {
        withUnsafeMutableBytes { $0.storeBytes(of: bits.bigEndian, toByteOffset: position, as: UInt32.self) }
    }
}

/// The parameters of one statement in libpq's format. The memory is reused for the next statement.
struct ParameterBuffer {
    private var bytes: [UInt8] = []
    /// The start of each value in `bytes`; -1 for NULL.
    private var offsets: [Int] = []
    private var types: [Oid] = []
    private var values: [UnsafePointer<CChar>?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    /// - Throws: ``PostgresError/invalidParameter(position:reason:)``.
    static func check(_ parameters: [Parameter]) throws(PostgresError) {
        guard parameters.count <= Int(UInt16.max) else {
            throw .invalidParameter(position: Int(UInt16.max) + 1, reason: "a statement has at most 65535 parameters")
        }
        for (index, parameter) in parameters.enumerated() {
            guard case .invalid(let reason) = parameter.value else { continue }
            throw .invalidParameter(position: index + 1, reason: reason.description)
        }
    }

    mutating func load(_ parameters: [Parameter]) {
        bytes.removeAll(keepingCapacity: true)
        offsets.removeAll(keepingCapacity: true)
        types.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        bytes.append(0)  // an empty value needs a non-null pointer, because a null pointer means NULL
        for parameter in parameters {
            let start = bytes.count
            offsets.append(parameter.append(to: &bytes) ? start : -1)
            lengths.append(Int32(bytes.count - start))
            types.append(parameter.type.oid)
        }
        while formats.count < parameters.count { formats.append(1) }  // 1 is the binary format
    }

    mutating func withPointers<Value>(
        _ body: (
            _ count: Int32, _ types: UnsafePointer<Oid>, _ values: UnsafePointer<UnsafePointer<CChar>?>,
            _ lengths: UnsafePointer<Int32>, _ formats: UnsafePointer<Int32>
        ) -> Value
    ) -> Value {
        bytes.withUnsafeBytes { bytes in
            values.removeAll(keepingCapacity: true)
            for offset in offsets {
                let start = offset < 0 ? nil : bytes.baseAddress?.advanced(by: offset)
                values.append(start?.assumingMemoryBound(to: CChar.self))
            }
            return body(Int32(offsets.count), types, values, lengths, formats)
        }
    }
}

/// A statement or a script, and the callback for its result, if any.
final class Statement {
    enum Text {
        case sql(SQL)
        /// Several statements in one message, without parameters; the result is that of the last.
        case script(String)
    }

    typealias Completion = (Result<ResultSet, any Error>) -> Void

    let id: UInt64
    let text: Text
    /// How long the server may take to respond.
    let timeLimit: Duration
    /// When the server must have responded; set when the statement is sent.
    var deadline: ContinuousClock.Instant?
    private var completion: Completion?

    init(id: UInt64, text: Text, timeLimit: Duration, completion: Completion? = nil) {
        self.id = id
        self.text = text
        self.timeLimit = timeLimit
        self.completion = completion
    }

    /// Whether a caller is waiting.
    var isAwaited: Bool { completion != nil }

    /// Delivers the result. Later calls do nothing.
    func finish(_ result: Result<ResultSet, any Error>) {
        let waiting = completion
        completion = nil
        waiting?(result)
    }
}
