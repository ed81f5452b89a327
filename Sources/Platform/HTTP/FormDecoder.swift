public import Encoding

/// Decodes `application/x-www-form-urlencoded` (WHATWG URL §5.1), with stricter rules.
public enum FormDecoder {
    static let maximumPairs = 100

    /// - Returns: `nil` for more than 100 pairs, an invalid percent escape, text that is not valid UTF-8, or too many
    ///   combining characters in a row; see ``Encoding/CombiningRun``.
    public static func decode(_ bytes: [UInt8]) -> [(name: ByteText, value: String)]? { pairs(in: bytes) }

    static func pairs(in bytes: some Collection<UInt8>) -> [(name: ByteText, value: String)]? {
        var pairs: [(name: ByteText, value: String)] = []
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard
                pairs.count < maximumPairs,
                let name = PercentEncoding.decode(pair[..<end], plusIsSpace: true),
                let value = PercentEncoding.decode(pair[end...].dropFirst(), plusIsSpace: true),
                name.isWithinCombiningLimit, value.isWithinCombiningLimit
            else { return nil }
            pairs.append((ByteText(name), value))
        }
        return pairs
    }
}
