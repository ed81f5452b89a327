public import FoundationEssentials

/// An element type of one-dimensional arrays. An array of `UInt8` is a `bytea`.
public protocol PostgresArrayElement {
    static var postgresArrayType: PostgresType { get }
    static func postgresParameter(of elements: [Self]) -> Parameter
    static func elements(postgres cell: Cell) throws(DecodingFault) -> [Self]
}

extension Array: PostgresEncodable where Element: PostgresArrayElement {
    public static var postgresType: PostgresType { Element.postgresArrayType }
    public var postgresParameter: Parameter { Element.postgresParameter(of: self) }
}

extension Array: PostgresDecodable where Element: PostgresArrayElement {
    public init(postgres cell: Cell) throws(DecodingFault) {
        self = try Element.elements(postgres: cell)
    }
}

extension UInt8: PostgresArrayElement {
    public static var postgresArrayType: PostgresType { .bytea }
    public static func postgresParameter(of elements: [UInt8]) -> Parameter { Parameter(.bytea, .bytes(elements)) }
    public static func elements(postgres cell: Cell) throws(DecodingFault) -> [UInt8] {
        Array(try cell.bytes(of: .bytea))
    }
}

extension String: PostgresArrayElement {
    public static var postgresArrayType: PostgresType { .textArray }
}

extension Bool: PostgresArrayElement {
    public static var postgresArrayType: PostgresType { .boolArray }
}

extension Timestamp: PostgresArrayElement {
    public static var postgresArrayType: PostgresType { .timestamptzArray }
}

extension Int32: PostgresArrayElement {
    public static var postgresArrayType: PostgresType { .int4Array }
}

extension Int64: PostgresArrayElement {
    public static var postgresArrayType: PostgresType { .int8Array }
}

extension Int: PostgresArrayElement {
    public static var postgresArrayType: PostgresType { .int8Array }
}

extension UUID: PostgresArrayElement {
    public static var postgresArrayType: PostgresType { .uuidArray }
}

/// `nil` is NULL.
extension Optional: PostgresArrayElement where Wrapped: PostgresArrayElement & PostgresEncodable & PostgresDecodable {
    public static var postgresArrayType: PostgresType { Wrapped.postgresArrayType }
}

extension PostgresArrayElement where Self: PostgresEncodable & PostgresDecodable {
    public static func postgresParameter(of elements: [Self]) -> Parameter {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: elements.isEmpty ? 0 : 1, width: 4)  // dimensions
        let flagsStart = bytes.count
        bytes.append(bigEndian: 0, width: 4)  // 1 if an element is NULL; set below
        bytes.append(bigEndian: UInt64(postgresType.oid), width: 4)
        guard !elements.isEmpty else { return Parameter(postgresArrayType, .bytes(bytes)) }
        bytes.append(bigEndian: UInt64(elements.count), width: 4)
        bytes.append(bigEndian: 1, width: 4)  // the first index
        for value in elements {
            let parameter = value.postgresParameter
            if case .invalid = parameter.value { return Parameter(postgresArrayType, parameter.value) }
            let start = bytes.count + 4
            bytes.append(bigEndian: .max, width: 4)  // the length of a NULL; replaced below for other values
            if parameter.append(to: &bytes) {
                bytes.set(bigEndian: UInt32(bytes.count - start), at: start - 4)
            } else {
                bytes[flagsStart + 3] = 1
            }
        }
        return Parameter(postgresArrayType, .bytes(bytes))
    }

    public static func elements(postgres cell: Cell) throws(DecodingFault) -> [Self] {
        var reader = try FieldReader(array: cell)
        var elements: [Self] = []
        elements.reserveCapacity(reader.count)
        while reader.count > 0 { elements.append(try Self(postgres: try reader.next())) }
        return elements
    }
}
