internal import Encoding

/// Parses a JSON text in one pass, with an explicit stack of open containers instead of recursion.
struct Scanner {
    private struct Container {
        let isObject: Bool
        /// The names of the members so far; used only for objects with many members.
        private var names: Set<ByteText> = []
        private var members: [ParsedMember] = []
        private var elements: [ParsedValue] = []
        private var name: ByteText = ""

        init(isObject: Bool) {
            self.isObject = isObject
        }

        /// Begins a member. Rejects a name that the object has already.
        mutating func beginMember(named name: ByteText) throws(JSONFault) {
            if members.count < ParsedMember.hashingThreshold {
                guard !members.contains(where: { $0.name == name }) else { throw .duplicateMember }
            } else {
                if names.isEmpty { names = Set(members.map(\.name)) }
                guard names.insert(name).inserted else { throw .duplicateMember }
            }
            self.name = name
        }

        /// Adds the value of the member that was begun, or an element of an array.
        mutating func add(_ value: ParsedValue) {
            if isObject { members.append(ParsedMember(name: name, value: value)) } else { elements.append(value) }
        }

        var value: ParsedValue { isObject ? .object(members) : .array(elements) }
    }

    let bytes: [UInt8]
    var position = 0
    private let maximumDepth: Int
    private var openContainers: [Container] = []
    /// Whether the innermost container is still empty.
    private var containerIsEmpty = false
    private var result = ParsedValue.null

    init(_ bytes: [UInt8], maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    mutating func scanText() throws(JSONFault) -> ParsedValue {
        try scanValue()
        while !openContainers.isEmpty {
            if openContainers[openContainers.count - 1].isObject { try scanMember() } else { try scanElement() }
        }
        skipWhitespace()
        guard position == bytes.count else { throw .malformed(offset: position) }
        return result
    }

    /// Scans a scalar, or the opening of an array or object.
    private mutating func scanValue() throws(JSONFault) {
        skipWhitespace()
        switch peek {
        case UInt8(ascii: "{"): try push(Container(isObject: true))
        case UInt8(ascii: "["): try push(Container(isObject: false))
        case UInt8(ascii: "\""): addComplete(.string(try scanString()))
        case UInt8(ascii: "t"):
            try expect("true")
            addComplete(.bool(true))
        case UInt8(ascii: "f"):
            try expect("false")
            addComplete(.bool(false))
        case UInt8(ascii: "n"):
            try expect("null")
            addComplete(.null)
        default:
            let start = position
            try scanNumber()
            addComplete(.number(text(from: start)))
        }
    }

    /// Adds a complete value to the innermost container. Without an open container, the value is the result.
    private mutating func addComplete(_ value: ParsedValue) {
        if openContainers.isEmpty { result = value } else { openContainers[openContainers.count - 1].add(value) }
    }

    private mutating func scanElement() throws(JSONFault) {
        if scanEnd(UInt8(ascii: "]")) { return }
        try scanSeparator()
        try scanValue()
    }

    private mutating func scanMember() throws(JSONFault) {
        if scanEnd(UInt8(ascii: "}")) { return }
        try scanSeparator()
        skipWhitespace()
        let name = ByteText(try scanString())
        try openContainers[openContainers.count - 1].beginMember(named: name)
        skipWhitespace()
        try expect(":")
        try scanValue()
    }

    private mutating func push(_ container: Container) throws(JSONFault) {
        guard openContainers.count < maximumDepth else { throw .tooDeep }
        position += 1
        openContainers.append(container)
        containerIsEmpty = true
    }

    private mutating func scanEnd(_ end: UInt8) -> Bool {
        skipWhitespace()
        guard peek == end else { return false }
        position += 1
        addComplete(openContainers.removeLast().value)
        containerIsEmpty = false
        return true
    }

    /// Scans the comma before every member or element except the first.
    private mutating func scanSeparator() throws(JSONFault) {
        if !containerIsEmpty { try expect(",") }
        containerIsEmpty = false
    }
}

extension Scanner {
    /// The text from `start` to the current position, which is known to be UTF-8.
    func text(from start: Int) -> String { String(decoding: bytes[start..<position], as: UTF8.self) }

    var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skipWhitespace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    mutating func expect(_ token: StaticString) throws(JSONFault) {
        for index in 0..<token.utf8CodeUnitCount {
            guard peek == token.utf8Start[index] else { throw .malformed(offset: position) }
            position += 1
        }
    }

    mutating func accept(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    mutating func scanNumber() throws(JSONFault) {
        _ = accept(UInt8(ascii: "-"))
        if !accept(UInt8(ascii: "0")) { try scanDigits() }
        if accept(UInt8(ascii: ".")) { try scanDigits() }
        if accept(UInt8(ascii: "e")) || accept(UInt8(ascii: "E")) {
            if !accept(UInt8(ascii: "+")) { _ = accept(UInt8(ascii: "-")) }
            try scanDigits()
        }
    }

    private mutating func scanDigits() throws(JSONFault) {
        let start = position
        while let byte = peek, (0x30...0x39).contains(byte) { position += 1 }
        guard position > start else { throw .malformed(offset: position) }
    }
}

/// A parsed JSON value; numbers keep their text.
enum ParsedValue: Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([ParsedValue])
    case object([ParsedMember])
}

/// A member of an object; escapes in the name are resolved.
struct ParsedMember: Sendable {
    /// The minimum number of members for which names are hashed. With fewer members, comparing names is faster.
    static let hashingThreshold = 32

    var name: ByteText
    let value: ParsedValue
}

extension Scanner {
    /// - Returns: the text between the quotes with its escapes resolved.
    mutating func scanString() throws(JSONFault) -> String {
        try expect("\"")
        var text = ""
        /// The start of the text that has not been copied yet.
        var start = position
        var run = CombiningRun()
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                let remaining = self.text(from: start)
                position += 1
                return text.isEmpty ? remaining : text + remaining
            case UInt8(ascii: "\\"):
                text += self.text(from: start)
                let escapeStart = position
                position += 1
                let scalar = try scanEscape()
                guard run.accepts(scalar, from: escapeStart, to: position) else { throw .combiningRun }
                text.unicodeScalars.append(scalar)
                start = position
            case 0: throw .nul
            case 1..<0x20: throw .malformed(offset: position)
            case 0x20..<0x80: position += 1
            default:
                let characterStart = position
                let scalar = try scanCharacter()
                guard run.accepts(scalar, from: characterStart, to: position) else { throw .combiningRun }
            }
        }
        throw .malformed(offset: position)
    }

    /// Scans a multi-byte character by table 3-7 of the Unicode standard, which excludes overlong forms, surrogates,
    /// and code points above U+10FFFF.
    private mutating func scanCharacter() throws(JSONFault) -> Unicode.Scalar {
        let lead = bytes[position]
        position += 1
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
        // The lead byte has as many bits of the code point as it has remaining bits after its prefix.
        var value = UInt32(lead) & (0x3F >> UInt32(missing))
        while missing > 0 {
            guard let byte = peek, next.contains(byte) else { throw .notUTF8 }
            value = value << 6 | UInt32(byte & 0x3F)
            position += 1
            missing -= 1
            next = 0x80...0xBF
        }
        guard let scalar = Unicode.Scalar(value) else { throw .notUTF8 }
        return scalar
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
        guard UTF16.isLeadSurrogate(first), accept(UInt8(ascii: "\\")), accept(UInt8(ascii: "u")) else {
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
