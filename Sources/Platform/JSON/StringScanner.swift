internal import Encoding

extension Scanner {
    /// - Returns: the text between the quotes with its escapes resolved.
    mutating func scanString() throws(JSONFault) -> String {
        try take("\"")
        var text = ""
        /// The start of the text that has not been copied yet.
        var start = position
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                let remaining = self.text(from: start)
                position += 1
                return text.isEmpty ? remaining : text + remaining
            case UInt8(ascii: "\\"):
                text += self.text(from: start)
                position += 1
                text.unicodeScalars.append(try scanEscape())
                start = position
            case 0: throw .nul
            case 1..<0x20: throw .malformed(offset: position)
            case 0x20..<0x80: position += 1
            default:
                position += 1
                try scanContinuation(of: byte)
            }
        }
        throw .malformed(offset: position)
    }

    /// Scans the remaining bytes of a multi-byte character by table 3-7 of the Unicode standard, which excludes
    /// overlong forms, surrogates, and code points above U+10FFFF.
    private mutating func scanContinuation(of lead: UInt8) throws(JSONFault) {
        var (next, missing): (ClosedRange<UInt8>, Int) =
            switch lead {
            case 0xC2...0xDF: (0x80...0xBF, 1)
            case 0xE0: (0xA0...0xBF, 2)
            case 0xED: (0x80...0x9F, 2)
            case 0xE1...0xEF: (0x80...0xBF, 2)
            case 0xF0: (0x90...0xBF, 3)
            case 0xF1...0xF3: (0x80...0xBF, 3)
            case 0xF4: (0x80...0x8F, 3)
            default: throw .notUTF8
            }
        while missing > 0 {
            guard let byte = peek, next.contains(byte) else { throw .notUTF8 }
            position += 1
            missing -= 1
            next = 0x80...0xBF
        }
    }

    private mutating func scanEscape() throws(JSONFault) -> Unicode.Scalar {
        let escaped = peek
        position += 1
        switch escaped {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try scanUnicodeEscape()
        default: throw .malformed(offset: position - 1)
        }
    }

    private mutating func scanUnicodeEscape() throws(JSONFault) -> Unicode.Scalar {
        let first = try scanHex()
        guard first != 0 else { throw .nul }
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(first), takes(UInt8(ascii: "\\")), takes(UInt8(ascii: "u")) else {
            throw .loneSurrogate
        }
        let second = try scanHex()
        guard UTF16.isTrailSurrogate(second) else { throw .loneSurrogate }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    private mutating func scanHex() throws(JSONFault) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Hexadecimal.value(of: byte) else {
                throw .malformed(offset: position)
            }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }
}
