internal import Encoding

/// Decodes a `Decodable` from a parsed value. Accepts the same values as Foundation's decoder and throws the same
/// cases of `DecodingError`, but does not parse the text again.
struct ValueDecoder: Decoder {
    let value: ParsedValue
    let codingPath: [any CodingKey]
    /// Whether members are looked up by their names in camel case.
    let camelCasesNames: Bool
    /// Whether scalars of another type are converted; see ``ParsedJSON/decode(_:camelCasesNames:convertsScalars:)``.
    let convertsScalars: Bool

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else { throw mismatch(JSONObject.self) }
        return KeyedDecodingContainer(try MemberContainer(members, of: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch([JSONValue].self) }
        guard elements.count <= StrictJSON.elementLimit else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: codingPath,
                    debugDescription: "the array has more than \(StrictJSON.elementLimit) elements"))
        }
        return ElementContainer(elements: elements, decoder: self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func mismatch(_ type: Any.Type) -> DecodingError {
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: "expected \(type)")
        if case .null = value { return .valueNotFound(type, context) }
        return .typeMismatch(type, context)
    }

    func nestedDecoder(for value: ParsedValue, at key: any CodingKey) -> ValueDecoder {
        ValueDecoder(
            value: value, codingPath: codingPath + [key], camelCasesNames: camelCasesNames,
            convertsScalars: convertsScalars)
    }

    /// A decoder that converts neither names nor scalars.
    var unconverted: ValueDecoder {
        ValueDecoder(value: value, codingPath: codingPath, camelCasesNames: false, convertsScalars: false)
    }

    /// Converts the value without trying one type after another, because each failed attempt creates an error.
    func jsonValue() throws -> JSONValue { try jsonValue(value) }

    private func jsonValue(_ value: ParsedValue) throws -> JSONValue {
        switch value {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .number(let text): try jsonNumber(text)
        case .string("true") where convertsScalars: .bool(true)
        case .string("false") where convertsScalars: .bool(false)
        case .string(let text): .string(text)
        case .array(let elements): .array(try elements.map(jsonValue))
        case .object(let members):
            .object(
                Dictionary(
                    try members.namedInCamelCase(camelCasesNames).map { ($0.name, try jsonValue($0.value)) },
                    uniquingKeysWith: { first, _ in first }))
        }
    }

    private func jsonNumber(_ text: String) throws -> JSONValue {
        if let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { throw outOfRange() }
        return Int64(exactly: number).map(JSONValue.integer) ?? .number(number)
    }

    /// The error has no coding path, as in Foundation's decoder.
    private func outOfRange() -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: "the number is out of range"))
    }

    private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
        if convertsScalars, case .string(let text) = value {
            guard text.isDecimalInteger else { throw mismatch(type) }
            guard let integer = Integer(text) else { throw outOfRange() }
            return integer
        }
        guard case .number(let text) = value else { throw mismatch(type) }
        if let integer = Integer(text) { return integer }
        guard let integer = Double(text).flatMap(Integer.init(exactly:)) else { throw outOfRange() }
        return integer
    }

    private func floatingPoint<Number: BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: Number.Type
    ) throws -> Number {
        guard case .number(let text) = value else { throw mismatch(type) }
        guard let number = Number(text), number.isFinite else { throw outOfRange() }
        return number
    }
}

extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool {
        if case .null = value { true } else { false }
    }

    func decode(_ type: Bool.Type) throws -> Bool {
        switch value {
        case .bool(let flag): return flag
        case .string("true") where convertsScalars: return true
        case .string("false") where convertsScalars: return false
        default: throw mismatch(type)
        }
    }

    func decode(_ type: String.Type) throws -> String {
        switch value {
        case .string(let text): return text
        case .number where convertsScalars:
            // A number that is not an integer, or is out of range, is not converted.
            guard let integer = try? integer(Int64.self) else { throw mismatch(type) }
            return String(integer)
        default: throw mismatch(type)
        }
    }

    func decode(_ type: Double.Type) throws -> Double { try floatingPoint(type) }
    func decode(_ type: Float.Type) throws -> Float { try floatingPoint(type) }
    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        assert(!(type is any ComparesNamesAsStrings.Type), "decode [ByteText: …] instead of \(type)")
        guard camelCasesNames, type is any KeepsMemberNames.Type else { return try Value(from: self) }
        return try Value(from: unconverted)
    }
}

/// A type whose member names are data. They are not converted to camel case, at any depth.
private protocol KeepsMemberNames {}
extension JSONObject: KeepsMemberNames {}

/// A dictionary that compares the names of members as Swift's strings; see ``Encoding/BytewiseComparable``.
private protocol ComparesNamesAsStrings {}
extension Dictionary: ComparesNamesAsStrings where Key == String {}

extension String {
    /// Whether the text is an integer in decimal digits, which can begin with a minus sign, but not with further zeros.
    fileprivate var isDecimalInteger: Bool {
        let digits = utf8.first == UInt8(ascii: "-") ? utf8.dropFirst() : utf8[...]
        return !digits.isEmpty && (digits.count == 1 || digits.first != UInt8(ascii: "0"))
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
