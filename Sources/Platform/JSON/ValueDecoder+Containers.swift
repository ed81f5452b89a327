internal import Encoding

/// A class, because the standard library copies the container for every member.
final class MemberContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
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

struct ElementContainer: UnkeyedDecodingContainer {
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
