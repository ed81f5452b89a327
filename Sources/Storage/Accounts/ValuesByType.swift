internal import Postgres

/// The values of a row that a statement returns in one array for each type.
///
/// For each execution of a statement, PostgreSQL prepares every column of every step of the plan, and every argument of
/// a function. An array takes about as much time as one column. A look-up with a column for each member of accounts,
/// and a `jsonb_build_object` of identities, took an eighth longer, and for an account with an identity half as long
/// again.
struct ValuesByType {
    fileprivate var texts: Fields
    fileprivate var times: Fields
    fileprivate var flags: Fields
    /// Not in an array, because a row has only one number.
    fileprivate let number: Int64?

    init(texts: Fields, times: Fields, flags: Fields, number: Int64?) {
        self.texts = texts
        self.times = times
        self.flags = flags
        self.number = number
    }

    /// Decodes the next value of its type.
    @inline(__always)
    mutating func next<Value: ArrayedValue>(as type: Value.Type = Value.self) throws -> Value {
        guard let value = try Value.next(of: &self) else {
            throw PostgresError.decoding(column: "values by type", fault: .null)
        }
        return value
    }

    /// Decodes the next value of its type, which may be NULL.
    @inline(__always)
    mutating func next<Value: ArrayedValue>(as type: Value?.Type = Value?.self) throws -> Value? {
        try Value.next(of: &self)
    }
}

/// The types of the arrays of ``ValuesByType``.
enum ArrayType {
    case text, time, flag

    fileprivate var name: SQL {
        switch self {
        case .text: "text[]"
        case .time: "timestamptz[]"
        case .flag: "boolean[]"
        }
    }
}

/// A type of values in ``ValuesByType``.
protocol ArrayedValue: PostgresDecodable {
    /// `nil` for numbers.
    static var arrayType: ArrayType? { get }
    /// Decodes the next value; `nil` is NULL.
    static func next(of values: inout ValuesByType) throws -> Self?
}

extension String: ArrayedValue {
    static var arrayType: ArrayType? { .text }
    static func next(of values: inout ValuesByType) throws -> String? { try values.texts.next() }
}

extension Timestamp: ArrayedValue {
    static var arrayType: ArrayType? { .time }
    static func next(of values: inout ValuesByType) throws -> Timestamp? { try values.times.next() }
}

extension Bool: ArrayedValue {
    static var arrayType: ArrayType? { .flag }
    static func next(of values: inout ValuesByType) throws -> Bool? { try values.flags.next() }
}

extension Int64: ArrayedValue {
    static var arrayType: ArrayType? { nil }
    static func next(of values: inout ValuesByType) throws -> Int64? { values.number }
}

/// An SQL expression, and the array that contains its value; `nil` for a number.
struct TypedExpression {
    let expression: SQL
    let type: ArrayType?

    init(_ type: ArrayType?, _ expression: SQL) {
        self.type = type
        self.expression = expression
    }
}

extension SQL {
    /// The array with the values of one type, in the order of `expressions`.
    static func array(_ type: ArrayType, of expressions: [TypedExpression]) -> SQL {
        let values = expressions.filter { $0.type == type }.map(\.expression)
        return "ARRAY[\(values.joined(separator: ", "))]::\(type.name)"
    }
}
