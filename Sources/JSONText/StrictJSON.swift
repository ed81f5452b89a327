internal import FoundationEssentials

/// JSON that means the same to everybody who reads it (RFC 8259, in the spirit of I-JSON, RFC 7493). Foundation
/// decodes and encodes; what it would let pass is refused first.
public enum StrictJSON {
    /// Linear in the length of the text, which the caller bounds; does not recurse.
    ///
    /// - Parameter maximumDepth: of arrays and objects in each other; a scalar has depth 0.
    public static func check(_ bytes: [UInt8], maximumDepth: Int = 32) throws(JSONFault) {
        var scanner = Scanner(bytes, maximumDepth: maximumDepth)
        try scanner.scanText()
    }

    /// - Parameter snakeCaseKeys: takes names in any case: `photo_url` and `photoURL` for the member `photoUrl`. A member
    ///   of `Value` with two capitals in a row is never found.
    /// - Throws: ``JSONFault`` if the text is not strict JSON, `DecodingError` if it is not a `Value`.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], snakeCaseKeys: Bool = false
    ) throws -> Value {
        try check(bytes)
        let decoder = JSONDecoder()
        if snakeCaseKeys {
            decoder.keyDecodingStrategy = .custom { MemberName(stringValue: ($0.last?.stringValue ?? "").camelCased) }
        }
        return try decoder.decode(type, from: Data(bytes))
    }

    /// Members in the order of their names, so that equal values give equal bytes.
    ///
    /// - Parameter isPretty: in lines, for people.
    public static func encode(_ value: some Encodable, isPretty: Bool = false) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return Array(try encoder.encode(value))
    }
}
