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

/// A class, because the standard library copies the container for every member.
private final class MemberContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let members: [ParsedMember]
    /// The index of each member by name, for objects with many members; otherwise empty.
    private let positions: [ByteText: Int]
    private let decoder: ValueDecoder

    init(_ members: [ParsedMember], of decoder: ValueDecoder) throws(JSONFault) {
        self.decoder = decoder
        self.members = try members.namedInCamelCase(decoder.camelCasesNames)
        positions =
            members.count < ParsedMember.hashingThreshold
            ? [:] : Dictionary(uniqueKeysWithValues: self.members.enumerated().map { ($1.name, $0) })
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { members.compactMap { Key(stringValue: $0.name.rawValue) } }

    func contains(_ key: Key) -> Bool { value(key.stringValue) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try nestedDecoder(at: key).decodeNil() }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try nestedDecoder(at: key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try nestedDecoder(at: key).decode(type) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try nestedDecoder(at: key).decode(type)
    }

    // Without these functions, the standard library would search for each optional member three times.

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        switch value(key.stringValue) {
        case nil, .null?: nil
        case .bool(let flag)?: flag
        case let value?: try decoder.nestedDecoder(for: value, at: key).decode(type)
        }
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        switch value(key.stringValue) {
        case nil, .null?: nil
        case .string(let text)?: text
        case let value?: try decoder.nestedDecoder(for: value, at: key).decode(type)
        }
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        switch value(key.stringValue) {
        case nil, .null?: nil
        case let value?: try decoder.nestedDecoder(for: value, at: key).decode(type)
        }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try nestedDecoder(at: key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try nestedDecoder(at: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { preconditionFailure("superDecoder is not supported") }
    func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder() }

    private func value(_ name: String) -> ParsedValue? {
        let name = ByteText(name)
        guard positions.isEmpty else { return positions[name].map { members[$0].value } }
        for member in members where member.name == name { return member.value }
        return nil
    }

    private func nestedDecoder(at key: Key) throws -> ValueDecoder {
        guard let value = value(key.stringValue) else {
            throw DecodingError.keyNotFound(
                key, DecodingError.Context(codingPath: codingPath, debugDescription: "the member is missing"))
        }
        return decoder.nestedDecoder(for: value, at: key)
    }
}

private struct ElementContainer: UnkeyedDecodingContainer {
    let elements: [ParsedValue]
    let decoder: ValueDecoder
    private(set) var currentIndex = 0

    init(elements: [ParsedValue], decoder: ValueDecoder) {
        self.elements = elements
        self.decoder = decoder
    }

    private struct Position: CodingKey {
        let intValue: Int?
        var stringValue: String { intValue.map(String.init) ?? "" }

        init(intValue: Int) { self.intValue = intValue }
        init?(stringValue: String) { nil }
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        guard try current(Any?.self).decodeNil() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try current(type).decode(type)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try current(type).container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try current([JSONValue].self).unkeyedContainer()
        currentIndex += 1
        return container
    }

    func superDecoder() throws -> any Decoder { preconditionFailure("superDecoder is not supported") }

    private func current(_ type: Any.Type) throws -> ValueDecoder {
        let position = Position(intValue: currentIndex)
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type, DecodingError.Context(codingPath: codingPath + [position], debugDescription: "the array ends"))
        }
        return decoder.nestedDecoder(for: elements[currentIndex], at: position)
    }
}

extension String {
    /// Whether the text is an integer in decimal digits, which can begin with a minus sign, but not with further zeros.
    fileprivate var isDecimalInteger: Bool {
        let digits = utf8.first == UInt8(ascii: "-") ? utf8.dropFirst() : utf8[...]
        return !digits.isEmpty && (digits.count == 1 || digits.first != UInt8(ascii: "0"))
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension [ParsedMember] {
    /// - Parameter isConverting: `false` returns the members unchanged.
    /// - Throws: ``JSONFault/duplicateMember`` if several names are equal in camel case. Otherwise, a member that a
    ///   client adds in another spelling could replace a member that a backend sets in the client's object.
    fileprivate func namedInCamelCase(_ isConverting: Bool) throws(JSONFault) -> [ParsedMember] {
        guard isConverting, contains(where: { !$0.name.rawValue.utf8.isCamelCase }) else { return self }
        let renamed = map { ParsedMember(name: $0.name.camelCased, value: $0.value) }
        if zip(renamed, self).contains(where: { $0.name != $1.name }), Set(renamed.map(\.name)).count < count {
            throw .duplicateMember
        }
        return renamed
    }
}

extension ByteText {
    /// Converts `photo_url`, `photoURL` and `PhotoUrl` to `photoUrl`. Unknown names and names with non-ASCII characters
    /// stay unchanged.
    var camelCased: ByteText {
        guard !isUnknownName else { return self }
        let bytes = Array(rawValue.utf8)
        guard bytes.allSatisfy({ $0 < 0x80 }), !bytes.isCamelCase else { return self }
        var result: [UInt8] = []
        var followsUnderscore = false
        for (index, byte) in bytes.enumerated() {
            guard byte != UInt8(ascii: "_") else {
                followsUnderscore = !result.isEmpty
                continue
            }
            let beginsWord = followsUnderscore || bytes.beginsWord(at: index)
            result.append(beginsWord && !result.isEmpty ? byte.uppercased : byte.lowercased)
            followsUnderscore = false
        }
        return ByteText(String(decoding: result, as: UTF8.self))
    }
}

extension Sequence<UInt8> {
    /// Whether a name is in camel case already, as most names are: it has no underscore, does not begin with a capital,
    /// and has no two capitals in a row.
    fileprivate var isCamelCase: Bool {
        var mayBeCapital = false
        for byte in self {
            guard byte != UInt8(ascii: "_"), mayBeCapital || !byte.isUppercase else { return false }
            mayBeCapital = !byte.isUppercase
        }
        return true
    }
}

extension [UInt8] {
    /// Whether a word begins here: a capital that does not follow another capital, or the last capital of a run if
    /// lower-case letters follow.
    fileprivate func beginsWord(at index: Int) -> Bool {
        guard self[index].isUppercase else { return false }
        guard index > 0, self[index - 1].isUppercase else { return true }
        return index + 1 < count && self[index + 1].isLowercase
    }
}

extension UInt8 {
    fileprivate var isUppercase: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
    fileprivate var isLowercase: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
    fileprivate var uppercased: UInt8 { isLowercase ? self - 0x20 : self }
    fileprivate var lowercased: UInt8 { isUppercase ? self + 0x20 : self }
}
