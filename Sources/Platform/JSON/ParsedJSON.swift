/// A strict JSON text that was parsed once, and from which more than one value can be decoded.
public struct ParsedJSON: Sendable {
    private let value: ParsedValue

    /// Parses as ``StrictJSON/check(_:maximumDepth:)`` does.
    public init(_ bytes: [UInt8]) throws(JSONFault) {
        value = try StrictJSON.parse(bytes)
    }

    /// - Parameter snakeCaseKeys: as in ``StrictJSON/decode(_:from:snakeCaseKeys:)``.
    /// - Throws: `DecodingError`, or what the initializers of `Value` throw.
    public func decode<Value: Decodable>(_ type: Value.Type, snakeCaseKeys: Bool = false) throws -> Value {
        try ValueDecoder(value: value, codingPath: [], camelCasesNames: snakeCaseKeys).decode(type)
    }
}
