/// A code with which a user who has lost the authenticator app signs in once: 120 random bits.
///
/// NIST SP 800-63B §5.1.2.2 requires no slow hash for look-up secrets of at least 112 bits, so only a fast hash is
/// stored.
enum RecoveryCode {
    /// How many codes an account gets at once.
    static let count = 10
    /// The number of random bytes of a code.
    static let byteCount = 15

    /// The code as users see it: four groups of six characters.
    static func text(of digits: String) -> String {
        let bytes = Array(digits.utf8)
        return stride(from: 0, to: bytes.count, by: 6)
            .map { String(decoding: bytes[$0..<min($0 + 6, bytes.count)], as: UTF8.self) }.joined(separator: "-")
    }

    /// The digits of a code that a user entered: without case and separators, and with the digits that Crockford's
    /// base32 reads in place of similar letters.
    ///
    /// - Returns: `nil` unless there are 24 digits.
    static func digits(of text: String) -> String? {
        guard text.utf8.count <= 64 else { return nil }
        var digits: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "-"): continue
            case UInt8(ascii: "o"), UInt8(ascii: "O"): digits.append(UInt8(ascii: "0"))
            case UInt8(ascii: "i"), UInt8(ascii: "I"), UInt8(ascii: "l"), UInt8(ascii: "L"):
                digits.append(UInt8(ascii: "1"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"): digits.append(byte & 0xDF)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(byte)
            default: return nil
            }
        }
        return digits.count == byteCount * 8 / 5 ? String(decoding: digits, as: UTF8.self) : nil
    }
}
