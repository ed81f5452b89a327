internal import Encoding

/// Encodes text for header fields, so that no input can end a field or add another one.
enum HeaderText {
    private static let lineLength = 76
    /// The length of `=?UTF-8?B?` and `?=`.
    private static let encodedWordOverhead = 12

    /// Encodes unstructured text (RFC 5322 §3.2.5).
    ///
    /// - Parameter column: the number of characters that precede the text on its line.
    static func unstructured(_ text: String, at column: Int) -> String {
        let text = replacingControls(in: text)
        return fitsUnencoded(text, at: column) ? text : encodedWords(text, at: column)
    }

    /// Encodes a display name (RFC 5322 §3.2.5).
    ///
    /// - Parameter column: the number of characters that precede the text on its line.
    static func phrase(_ text: String, at column: Int) -> String {
        let text = replacingControls(in: text)
        let quotes = 2
        guard fitsUnencoded(text, at: column + quotes) else { return encodedWords(text, at: column) }
        return "\"" + text.flatMap { #""\"#.contains($0) ? ["\\", $0] : [$0] } + "\""
    }

    /// Whether an address is valid, without quotes, both in a header and in an SMTP command.
    static func isAddress(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return text.utf8.count <= 254 && parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !#""(),:;<>[\]"#.utf8.contains($0) }
    }

    /// Whether a text is valid as the left part of a message ID: 1 to 64 ASCII letters, digits and hyphens.
    static func isMessageIDLeft(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || $0 == UInt8(ascii: "-")
            }
    }

    /// Whether a text fits on its line, is printable ASCII, and contains nothing that looks like an encoded word.
    private static func fitsUnencoded(_ text: String, at column: Int) -> Bool {
        column + text.utf8.count <= lineLength && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            && !text.contains("=?")
    }

    /// Replaces control characters, line separators and paragraph separators with spaces.
    private static func replacingControls(in text: String) -> String {
        var replaced = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: replaced.append(" ")
            default: replaced.append(scalar)
            }
        }
        return String(replaced)
    }

    /// Encodes text as encoded words of at most 75 characters, on lines of at most 76 (RFC 2047 §2). No character is
    /// split between two words.
    private static func encodedWords(_ text: String, at column: Int) -> String {
        var words: [[UInt8]] = []
        var word: [UInt8] = []
        var availableBytes = (lineLength - column - encodedWordOverhead) / 4 * 3
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if word.count + bytes.count > availableBytes {
                words.append(word)
                word = []
                availableBytes = (lineLength - 1 - encodedWordOverhead) / 4 * 3
            }
            word += bytes
        }
        return (words + [word]).map { "=?UTF-8?B?\(Base64.encode($0))?=" }.joined(separator: "\r\n ")
    }
}
