/// Base64 for URLs without padding (RFC 4648 §5, RFC 7515 §2).
public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    /// By byte; 64 and more stands for what is not in the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 64, count: 256)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    public static func encode(_ bytes: [UInt8]) -> String {
        let alphabet = alphabet
        return String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
            var count = 0
            var pending: UInt32 = 0
            var bits = 0
            for byte in bytes {
                pending = pending << 8 | UInt32(byte)
                bits += 8
                while bits >= 6 {
                    bits -= 6
                    text[count] = alphabet[Int(pending >> UInt32(bits) & 63)]
                    count += 1
                }
            }
            if bits > 0 {
                text[count] = alphabet[Int(pending << UInt32(6 - bits) & 63)]
                count += 1
            }
            return count
        }
    }

    /// - Returns: `nil` for padding, whitespace, other letters, and bits left over that are not zero: every text
    ///   but one per value is refused, so that no token has a second spelling.
    public static func decode(_ text: String) -> [UInt8]? { decode(Array(text.utf8)[...]) }

    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let values = values
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var pending: UInt32 = 0
        var bits = 0
        for letter in text {
            let value = values[Int(letter)]
            guard value < 64 else { return nil }
            pending = pending << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(bits)))
            }
        }
        guard bits < 6, pending & (1 << UInt32(bits) - 1) == 0 else { return nil }
        return bytes
    }
}
