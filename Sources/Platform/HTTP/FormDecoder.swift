/// Reads `application/x-www-form-urlencoded` (WHATWG URL §5.1), more strictly than its text asks for.
public enum FormDecoder {
    static let mostPairs = 100

    /// - Returns: `nil` for more than 100 pairs, a broken percent escape, or text that is not UTF-8.
    public static func decode(_ bytes: [UInt8]) -> [(String, String)]? {
        pairs(in: bytes).map { $0.map { ($0.name, $0.value) } }
    }

    static func pairs(in bytes: some Collection<UInt8>) -> [(name: String, value: String)]? {
        var pairs: [(name: String, value: String)] = []
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard
                pairs.count < mostPairs,
                let name = percentDecoded(pair[..<end], form: true),
                let value = percentDecoded(pair[end...].dropFirst(), form: true)
            else { return nil }
            pairs.append((name, value))
        }
        return pairs
    }
}

/// Undoes percent-encoding once (RFC 3986 §2.1).
///
/// - Parameter form: whether "+" stands for a space.
/// - Returns: `nil` for a broken escape, or text that is not UTF-8.
func percentDecoded(_ bytes: some Collection<UInt8>, form: Bool = false) -> String? {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var rest = bytes.makeIterator()
    while let byte = rest.next() {
        switch byte {
        case UInt8(ascii: "%"):
            guard let high = rest.next()?.hexValue, let low = rest.next()?.hexValue else { return nil }
            decoded.append(high << 4 | low)
        case UInt8(ascii: "+") where form:
            decoded.append(UInt8(ascii: " "))
        default:
            decoded.append(byte)
        }
    }
    return String(validating: decoded, as: UTF8.self)
}

extension UInt8 {
    var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
