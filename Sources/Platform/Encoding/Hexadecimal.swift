/// Base 16 (RFC 4648 §8). Encodes in lower case, decodes either case.
public enum Hexadecimal {
    @inlinable
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            var count = 0
            for byte in bytes {
                text.initializeElement(at: count, to: digit(byte >> 4))
                text.initializeElement(at: count + 1, to: digit(byte & 0xF))
                count += 2
            }
            return count
        }
    }

    /// - Returns: `nil` unless `digits` is an even number of hexadecimal digits.
    @inlinable
    public static func decode(_ digits: some Collection<UInt8>) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let value = value(of: digit) else { return nil }
            if let first = high { bytes.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        return bytes
    }

    @inlinable
    public static func decode(_ text: String) -> [UInt8]? { decode(text.utf8) }

    /// - Parameter value: 0 to 15.
    @inlinable
    public static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// - Returns: `nil` unless `digit` is an ASCII character of 0 to 9, a to f or A to F.
    @inlinable
    public static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
