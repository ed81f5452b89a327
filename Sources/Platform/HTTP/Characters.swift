extension String {
    /// A field name or method (RFC 9110 §5.6.2).
    var isToken: Bool { !isEmpty && utf8.allSatisfy(\.isTokenCharacter) }

    func equalsIgnoringASCIICase(_ other: String) -> Bool {
        utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}

extension UInt8 {
    var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }

    /// ASCII control characters: 0x00 to 0x1F, and 0x7F.
    var isControl: Bool { self < 0x20 || self == 0x7F }

    /// A space or a tab.
    var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var isAlphanumeric: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercasedASCII)
    }

    /// RFC 9110 §5.6.2.
    var isTokenCharacter: Bool { isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}

extension UnsafeRawBufferPointer {
    /// Whether a byte is a control character other than a tab. Without an early exit, the loop uses vector instructions.
    var containsControl: Bool {
        var count = 0
        for byte in self where byte.isControl && byte != UInt8(ascii: "\t") { count += 1 }
        return count > 0
    }
}
