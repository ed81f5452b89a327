internal import FoundationEssentials

/// A JSON value that tests write as a literal.
public enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    public subscript(_ key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    public subscript(_ index: Int) -> JSON? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    public var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The elements of an array; empty for any other value.
    public var elements: [JSON] {
        if case .array(let elements) = self { elements } else { [] }
    }

    /// The value without the fractions of its times. The clock of PostgreSQL, which dates refreshes, runs in tests too.
    public var withWholeSeconds: JSON {
        switch self {
        case .string(let text): .string(text.replacing(#/(T\d\d:\d\d:\d\d)\.\d{3}Z$/#) { "\($0.output.1)Z" })
        case .array(let elements): .array(elements.map(\.withWholeSeconds))
        case .object(let members): .object(members.mapValues(\.withWholeSeconds))
        case .null, .bool, .number: self
        }
    }

    public var keys: Set<String> {
        guard case .object(let members) = self else { return [] }
        return Set(members.keys)
    }
}

extension JSON: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {  // each attempt that fails leads to the next
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    public init(_ bytes: [UInt8]) throws {
        self = try JSONDecoder().decode(JSON.self, from: Data(bytes))
    }

    public var bytes: [UInt8] {
        get throws { Array(try JSONEncoder().encode(self)) }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int) { self = .number(Double(value)) }
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
    public init(nilLiteral: ()) { self = .null }
}
