/// Base 16 in lower case (RFC 4648 §8).
public enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    public static func text(_ bytes: [UInt8]) -> String {
        let digits = digits
        return String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            for (index, byte) in bytes.enumerated() {
                text[2 * index] = digits[Int(byte >> 4)]
                text[2 * index + 1] = digits[Int(byte & 15)]
            }
            return bytes.count * 2
        }
    }
}
