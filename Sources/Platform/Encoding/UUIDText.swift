public import FoundationEssentials

/// The text form of a UUID (RFC 9562 §4) and its sixteen bytes.
///
/// Foundation's conversions are measurably slower, and most requests make several conversions.
public enum UUIDText {
    @usableFromInline static let byteCount = 16
    @usableFromInline static let textCount = 36

    /// Returns the sixteen bytes of a UUID with digits in either case; `nil` if `text` is not a UUID.
    public static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.utf8
        guard digits.count == textCount else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        var high: UInt8?
        for (offset, digit) in digits.enumerated() {
            if isDash(offset) {
                guard digit == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let value = Hexadecimal.value(of: digit) else { return nil }
            if let first = high { bytes.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        return bytes
    }

    /// Returns the text in lower case.
    public static func text(_ uuid: UUID) -> String {
        withUnsafeBytes(of: uuid.uuid) { text($0) }
    }

    /// Returns the text in lower case.
    ///
    /// - Parameter bytes: sixteen.
    @inlinable
    public static func text(_ bytes: some Collection<UInt8>) -> String {
        precondition(bytes.count == byteCount, "a UUID has sixteen bytes")
        return String(unsafeUninitializedCapacity: textCount) { text in
            var count = 0
            for byte in bytes {
                if isDash(count) {
                    text.initializeElement(at: count, to: UInt8(ascii: "-"))
                    count += 1
                }
                text.initializeElement(at: count, to: Hexadecimal.digit(byte >> 4))
                text.initializeElement(at: count + 1, to: Hexadecimal.digit(byte & 0xF))
                count += 2
            }
            return count
        }
    }

    @inlinable
    static func isDash(_ offset: Int) -> Bool { offset == 8 || offset == 13 || offset == 18 || offset == 23 }
}
