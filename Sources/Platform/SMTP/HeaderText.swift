internal import FoundationEssentials
internal import Glibc

/// Text of header fields: whatever it is made of, it stays in its field.
enum HeaderText {
    private static let lineLength = 76
    /// `=?UTF-8?B?` and `?=`.
    private static let wordFrame = 12

    /// - Parameter column: how much of the line is written already.
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

    /// An address that stands in a header, in an envelope and on the line to the server as it is.
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
        var (seconds, parts) = (time_t(seconds), tm())
        gmtime_r(&seconds, &parts)
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(days[Int(parts.tm_wday)]), \(parts.tm_mday) \(months[Int(parts.tm_mon)]) "
            + "\(parts.tm_year + 1900) \(clock.joined(separator: ":")) +0000"
    }

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func isPlain(_ text: String, at column: Int) -> Bool {
        column + text.utf8.count <= lineLength && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            && !text.contains("=?")
    }

    /// What would end or hide a line becomes a blank.
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

    /// RFC 2047 §2: words of 75 characters, on lines of 76, that never split a character.
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
        return (words + [word]).map { "=?UTF-8?B?\(Data($0).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }
}
