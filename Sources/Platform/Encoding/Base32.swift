/// Base32 without padding (RFC 4648 §6).
public enum Base32 {
    /// The digits of an encoding, by their values.
    public struct Alphabet: Sendable {
        fileprivate let digits: [UInt8]

        /// RFC 4648 §6.
        public static let rfc4648 = Alphabet(digits: Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8))
        /// Crockford's digits, without I, L, O and U.
        public static let crockford = Alphabet(digits: Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8))
    }

    public static func encode(_ bytes: [UInt8], _ alphabet: Alphabet = .rfc4648) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 8 + 4) / 5)
        var (buffer, bits) = (0, 0)
        for byte in bytes {
            buffer = (buffer << 8 | Int(byte)) & 0xFFF
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet.digits[buffer >> bits & 31])
            }
        }
        if bits > 0 { text.append(alphabet.digits[buffer << (5 - bits) & 31]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes a text, in upper or lower case.
    ///
    /// - Returns: `nil` if the text has another character than the digits, a length that no bytes have, or surplus bits
    ///   that are not zero.
    public static func decode(_ text: String, _ alphabet: Alphabet = .rfc4648) -> [UInt8]? {
        guard ![1, 3, 6].contains(text.utf8.count % 8) else { return nil }
        var bytes: [UInt8] = []
        var (buffer, bits) = (0, 0)
        for character in text.utf8 {
            let isLowercase = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character)
            guard let value = alphabet.digits.firstIndex(of: isLowercase ? character & 0xDF : character) else {
                return nil
            }
            buffer = (buffer << 5 | value) & 0xFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
            }
        }
        return buffer & ((1 << bits) - 1) == 0 ? bytes : nil
    }
}
