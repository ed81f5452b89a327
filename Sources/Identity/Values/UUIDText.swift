/// The usual spelling of a UUID (RFC 9562 §4) and its sixteen bytes. Foundation's own conversions scan and print by
/// format, which shows when every request makes several.
public enum UUIDText {
    private static let byteCount = 16
    private static let textCount = 36
    private static let dash = UInt8(ascii: "-")

    /// - Returns: `nil` for any other text; digits may be in either case.
    public static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.utf8
        guard digits.count == textCount else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        var high: UInt8?
        for (place, digit) in digits.enumerated() {
            if isDash(place) {
                guard digit == dash else { return nil }
                continue
            }
            guard let value = value(ofHexDigit: digit) else { return nil }
            if let first = high { bytes.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        return bytes
    }

    /// In lower case.
    ///
    /// - Parameter bytes: sixteen.
    public static func text(_ bytes: some Collection<UInt8>) -> String {
        precondition(bytes.count == byteCount, "a UUID has sixteen bytes")
        return String(unsafeUninitializedCapacity: textCount) { text in
            var place = 0
            func write(_ letter: UInt8) {
                text.initializeElement(at: place, to: letter)
                place += 1
            }
            for byte in bytes {
                if isDash(place) { write(dash) }
                write(hexDigit(byte >> 4))
                write(hexDigit(byte & 0xF))
            }
            return place
        }
    }

    private static func isDash(_ place: Int) -> Bool { place == 8 || place == 13 || place == 18 || place == 23 }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func value(ofHexDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
