internal import FoundationEssentials

extension [UInt8] {
    /// Takes both alphabets of RFC 4648, with padding or without: exports and clients write either.
    public init?(base64 text: String) {
        var standard = Array(text.utf8)
        while standard.last == UInt8(ascii: "=") { standard.removeLast() }
        for index in standard.indices {
            if standard[index] == UInt8(ascii: "-") { standard[index] = UInt8(ascii: "+") }
            if standard[index] == UInt8(ascii: "_") { standard[index] = UInt8(ascii: "/") }
        }
        standard += repeatElement(UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
        guard let data = Data(base64Encoded: Data(standard)) else { return nil }
        self = Array(data)
    }

    /// The standard alphabet, with padding.
    public var base64: String { Data(self).base64EncodedString() }

    /// The standard alphabet without padding, as PHC strings have it.
    var unpaddedBase64: String {
        var text = base64
        while text.last == "=" { text.removeLast() }
        return text
    }

    /// What a text of hexadecimal digits stands for.
    var fromHexadecimal: [UInt8]? {
        guard count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count / 2)
        for index in stride(from: 0, to: count, by: 2) {
            guard let high = Self.digit(self[index]), let low = Self.digit(self[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): letter - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): letter - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
