internal import Postgres

/// The values of a row that a statement returns as one composite value, which contains an array for each type.
///
/// For each execution of a statement, PostgreSQL prepares every column of every step of the plan, and every argument of
/// a function. An array takes about as much time as one column. A look-up with a column for each member of accounts, and
/// a `jsonb_build_object` of identities, took an eighth longer, and for an account with an identity half as long again.
struct ValuesByType {
    private var texts: Fields
    private var times: Fields
    private var flags: Fields
    private var numbers: Fields

    /// - Parameter fields: the composite value that ``SQL/valuesByType(_:)`` selects.
    init(_ fields: Fields) throws {
        var fields = fields
        texts = try fields.nextFields()
        times = try fields.nextFields()
        flags = try fields.nextFields()
        numbers = try fields.nextFields()
    }

    /// Decodes the next value of its type.
    @inline(__always)
    mutating func next<Value: ArrayedValue>(as type: Value.Type = Value.self) throws -> Value {
        switch Value.arrayType {
        case .text: try texts.next()
        case .time: try times.next()
        case .flag: try flags.next()
        case .number: try numbers.next()
        }
    }

    /// Decodes the next value of its type, which may be NULL.
    @inline(__always)
    mutating func next<Value: ArrayedValue>(as type: Value?.Type = Value?.self) throws -> Value? {
        switch Value.arrayType {
        case .text: try texts.next()
        case .time: try times.next()
        case .flag: try flags.next()
        case .number: try numbers.next()
        }
    }
}

/// The types of ``ValuesByType``, in the order of the arrays.
enum ArrayType: CaseIterable {
    case text, time, flag, number

    fileprivate var name: SQL {
        switch self {
        case .text: "text[]"
        case .time: "timestamptz[]"
        case .flag: "boolean[]"
        case .number: "bigint[]"
        }
    }
}

protocol ArrayedValue: PostgresDecodable {
    static var arrayType: ArrayType { get }
}

extension String: ArrayedValue {
    static var arrayType: ArrayType { .text }
}

extension Timestamp: ArrayedValue {
    static var arrayType: ArrayType { .time }
}

extension Bool: ArrayedValue {
    static var arrayType: ArrayType { .flag }
}

extension Int64: ArrayedValue {
    static var arrayType: ArrayType { .number }
}

/// An SQL expression, and the type of its value.
struct TypedExpression {
    let expression: SQL
    let type: ArrayType

    init(_ type: ArrayType, _ expression: SQL) {
        self.type = type
        self.expression = expression
    }
}

extension SQL {
    /// A composite value that ``ValuesByType`` decodes. It returns the values of each type in the order of
    /// `expressions`.
    static func valuesByType(_ expressions: [TypedExpression]) -> SQL {
        let arrays = ArrayType.allCases.map { type in
            let values = expressions.filter { $0.type == type }.map(\.expression)
            return "ARRAY[\(values.joined(separator: ", "))]::\(type.name)" as SQL
        }
        return "ROW(\(arrays.joined(separator: ", ")))"
    }
}
