extension String {
    /// Returns bytes as lower-case hexadecimal digits.
    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Returns 256 random bits from the system's generator as hexadecimal digits.
    static func randomHexadecimal() -> String {
        var generator = SystemRandomNumberGenerator()
        return hexadecimal((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
