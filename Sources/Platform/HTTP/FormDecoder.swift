internal import Encoding

/// Decodes `application/x-www-form-urlencoded` (WHATWG URL §5.1), with stricter rules.
public enum FormDecoder {
    static let maximumPairs = 100

    /// - Returns: `nil` for more than 100 pairs, an invalid percent escape, or text that is not valid UTF-8.
    public static func decode(_ bytes: [UInt8]) -> [(String, String)]? {
        pairs(in: bytes).map { $0.map { ($0.name, $0.value) } }
    }

    static func pairs(in bytes: some Collection<UInt8>) -> [(name: String, value: String)]? {
        var pairs: [(name: String, value: String)] = []
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard
                pairs.count < maximumPairs,
                let name = PercentEncoding.decode(pair[..<end], plusIsSpace: true),
                let value = PercentEncoding.decode(pair[end...].dropFirst(), plusIsSpace: true)
            else { return nil }
            pairs.append((name, value))
        }
        return pairs
    }
}
