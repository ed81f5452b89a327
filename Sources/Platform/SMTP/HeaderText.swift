internal import Encoding

/// Encodes text for header fields so that no input can end a field or add another.
enum HeaderText {
    private static let lineLength = 76
    /// `=?UTF-8?B?` and `?=`.
    private static let wordFrame = 12

    /// - Parameter column: how much of the line is already used.
    static func unstructured(_ text: String, at column: Int) -> String {
        let text = visible(text)
        return isPlain(text, at: column) ? text : encodedWords(text, at: column)
    }

    /// A display name (RFC 5322 §3.2.5).
    static func phrase(_ text: String, at column: Int) -> String {
        let text = visible(text)
        guard isPlain(text, at: column + 2) else { return encodedWords(text, at: column) }
        return "\"" + text.flatMap { #""\"#.contains($0) ? ["\\", $0] : [$0] } + "\""
    }

    /// Whether an address can stand unquoted in a header, in an envelope and in an SMTP command.
    static func isAddress(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        return text.utf8.count <= 254 && parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !#""(),:;<>[\]"#.utf8.contains($0) }
    }

    static func isIdentifier(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || $0 == UInt8(ascii: "-")
            }
    }

    /// RFC 5322 §3.3, in UTC.
    static func date(_ seconds: Int64) -> String {
        let ofDay = (seconds % 86_400 + 86_400) % 86_400
        let date = CalendarDate(daysSince1970: (seconds - ofDay) / 86_400)
        let clock = [ofDay / 3600, ofDay / 60 % 60, ofDay % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(weekdays[date.weekday]), \(date.day) \(months[Int(date.month) - 1]) \(date.year) "
            + "\(clock.joined(separator: ":")) +0000"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func isPlain(_ text: String, at column: Int) -> Bool {
        column + text.utf8.count <= lineLength && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            && !text.contains("=?")
    }

    /// Replaces control characters and line separators with spaces.
    private static func visible(_ text: String) -> String {
        var visible = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate: visible.append(" ")
            default: visible.append(scalar)
            }
        }
        return String(visible)
    }

    /// RFC 2047 §2: encoded words of at most 75 characters, on lines of 76. No word splits a character.
    private static func encodedWords(_ text: String, at column: Int) -> String {
        var words: [[UInt8]] = []
        var word: [UInt8] = []
        var room = (lineLength - column - wordFrame) / 4 * 3
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if word.count + bytes.count > room {
                words.append(word)
                word = []
                room = (lineLength - 1 - wordFrame) / 4 * 3
            }
            word += bytes
        }
        return (words + [word]).map { "=?UTF-8?B?\(Base64.encode($0))?=" }.joined(separator: "\r\n ")
    }
}
