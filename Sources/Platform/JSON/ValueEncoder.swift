/// Collects the values of an `Encodable`. Foundation's encoder is several times slower, and every response is encoded.
final class ValueEncoder: Encoder {
    private(set) var value: EncodedValue?

    // Errors contain no coding path: a value that cannot be encoded is a defect in our code.
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    static func encoded(_ value: some Encodable) throws -> EncodedValue {
        let encoder = ValueEncoder()
        try value.encode(to: encoder)
        guard let encoded = encoder.value else {
            throw EncodingError.invalidValue(
                value, EncodingError.Context(codingPath: [], debugDescription: "it encoded nothing"))
        }
        return encoded
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(ObjectContainer(object: object()))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { ArrayContainer(array: array()) }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    private func object() -> EncodedObject {
        if case .object(let known) = value { return known }
        let object = EncodedObject()
        value = .object(object)
        return object
    }

    private func array() -> EncodedArray {
        if case .array(let known) = value { return known }
        let array = EncodedArray()
        value = .array(array)
        return array
    }
}

extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() { value = .null }
    func encode(_ new: Bool) { value = .bool(new) }
    func encode(_ new: String) { value = .string(new) }
    func encode(_ new: Double) throws { value = try .number(new) }
    func encode(_ new: Float) throws { value = try .number(new) }
    func encode(_ new: Int) { value = .integer(Int64(new)) }
    func encode(_ new: Int8) { value = .integer(Int64(new)) }
    func encode(_ new: Int16) { value = .integer(Int64(new)) }
    func encode(_ new: Int32) { value = .integer(Int64(new)) }
    func encode(_ new: Int64) { value = .integer(new) }
    func encode(_ new: UInt) { value = .unsigned(UInt64(new)) }
    func encode(_ new: UInt8) { value = .unsigned(UInt64(new)) }
    func encode(_ new: UInt16) { value = .unsigned(UInt64(new)) }
    func encode(_ new: UInt32) { value = .unsigned(UInt64(new)) }
    func encode(_ new: UInt64) { value = .unsigned(new) }
    func encode<Value: Encodable>(_ new: Value) throws { value = try Self.encoded(new) }
}

private struct ObjectContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let object: EncodedObject
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { object.set(key.stringValue, .null) }
    func encode(_ value: Bool, forKey key: Key) { object.set(key.stringValue, .bool(value)) }
    func encode(_ value: String, forKey key: Key) { object.set(key.stringValue, .string(value)) }
    func encode(_ value: Int, forKey key: Key) { object.set(key.stringValue, .integer(Int64(value))) }
    func encode(_ value: Int64, forKey key: Key) { object.set(key.stringValue, .integer(value)) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        object.set(key.stringValue, try ValueEncoder.encoded(value))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        let nested = EncodedObject()
        object.set(key.stringValue, .object(nested))
        return KeyedEncodingContainer(ObjectContainer<Nested>(object: nested))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let nested = EncodedArray()
        object.set(key.stringValue, .array(nested))
        return ArrayContainer(array: nested)
    }

    func superEncoder() -> any Encoder { preconditionFailure("superEncoder is not supported") }
    func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}

private struct ArrayContainer: UnkeyedEncodingContainer {
    let array: EncodedArray
    var codingPath: [any CodingKey] { [] }
    var count: Int { array.elements.count }

    func encodeNil() { array.elements.append(.null) }
    func encode(_ value: String) { array.elements.append(.string(value)) }
    func encode<Value: Encodable>(_ value: Value) throws {
        array.elements.append(try ValueEncoder.encoded(value))
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        let nested = EncodedObject()
        array.elements.append(.object(nested))
        return KeyedEncodingContainer(ObjectContainer<Nested>(object: nested))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let nested = EncodedArray()
        array.elements.append(.array(nested))
        return ArrayContainer(array: nested)
    }

    func superEncoder() -> any Encoder { preconditionFailure("superEncoder is not supported") }
}
