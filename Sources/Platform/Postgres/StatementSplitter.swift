/// Splits a script into statements. Ignores semicolons in quotes, comments and dollar quotes (PostgreSQL documentation,
/// section 4.1). Does not support statements that contain other semicolons, such as a function with `BEGIN ATOMIC`.
func statements(in script: String) -> [String] {
    var splitter = StatementSplitter(script: Array(script.utf8))
    return splitter.split()
}

private struct StatementSplitter {
    let script: [UInt8]
    private var position = 0
    /// Whether the statement contains more than white space and comments.
    private var hasTokens = false

    init(script: [UInt8]) {
        self.script = script
    }

    mutating func split() -> [String] {
        var result: [String] = []
        var start = 0
        while position < script.count {
            let isEnd = script[position] == UInt8(ascii: ";")
            if isEnd { position += 1 } else { skip() }
            guard isEnd || position >= script.count else { continue }
            if hasTokens {
                result.append(String(decoding: script[start..<min(position, script.count)], as: UTF8.self))
            }
            start = position
            hasTokens = false
        }
        return result
    }

    /// Skips one character, quotation or comment.
    private mutating func skip() {
        let byte = script[position]
        if has("--") { return skip(beyond: "\n") }
        if has("/*") { return skipBlockComment() }
        if byte == UInt8(ascii: " ") || (9...13).contains(byte) { return position += 1 }
        hasTokens = true
        switch byte {
        case UInt8(ascii: "'"): skipQuoted(by: byte, withBackslashes: beginsEscapeString)
        case UInt8(ascii: "\""): skipQuoted(by: byte, withBackslashes: false)
        case UInt8(ascii: "$"): skipDollarQuoted()
        default: position += 1
        }
    }

    /// Whether the quote at this position begins an escape string: `E'…'`.
    private var beginsEscapeString: Bool {
        guard position > 0, [UInt8(ascii: "e"), UInt8(ascii: "E")].contains(script[position - 1]) else { return false }
        return position == 1 || !isWord(script[position - 2])
    }

    private mutating func skipQuoted(by quote: UInt8, withBackslashes: Bool) {
        position += 1
        while position < script.count, script[position] != quote {
            position += withBackslashes && script[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        position += 1
    }

    private mutating func skipDollarQuoted() {
        let isInsideWord = position > 0 && isWord(script[position - 1])
        let tag = script[(position + 1)...].prefix(while: isWord)
        let hasTag = tag.endIndex < script.count && script[tag.endIndex] == UInt8(ascii: "$")
        guard hasTag, !isInsideWord, !(tag.first.map(isDigit) ?? false) else { return position += 1 }
        let delimiter = "$\(String(decoding: tag, as: UTF8.self))$"
        position = tag.endIndex + 1
        skip(beyond: delimiter)
    }

    private mutating func skipBlockComment() {
        var depth = 0
        repeat {
            let step = has("/*") ? 1 : has("*/") ? -1 : 0
            depth += step
            position += step == 0 ? 1 : 2
        } while depth > 0 && position < script.count
    }

    private mutating func skip(beyond delimiter: String) {
        while position < script.count, !has(delimiter) { position += 1 }
        position += delimiter.utf8.count
    }

    private func has(_ text: String) -> Bool { script[position...].starts(with: text.utf8) }

    private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F || byte >= 0x80
    }
}
