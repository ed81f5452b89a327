/// Counts combining characters in a row, in a text of another party that is read from its start.
///
/// To compare, hash or search a `String`, Swift normalizes it (UAX #15). This sorts the combining characters in a row,
/// in quadratic time. A text within ``limit`` takes linear time in every operation.
public struct CombiningRun {
    /// The maximum number of combining characters in a row. UAX #15 §13 (Stream-Safe Text Format) names 30 as more than
    /// any language needs; texts that are decorated with combining characters have more.
    public static let limit = 128

    private var count = 0
    /// The offset after the last combining character.
    private var end = -1

    public init() {}

    /// Reads a character.
    ///
    /// - Parameters:
    ///   - start: the offset of the character.
    ///   - end: the offset of the next character.
    /// - Returns: whether the text is still within ``limit``.
    public mutating func accepts(_ scalar: Unicode.Scalar, from start: Int, to end: Int) -> Bool {
        guard scalar.isReordered else { return true }
        count = start == self.end ? count + 1 : 1
        self.end = end
        return count <= Self.limit
    }
}

extension Unicode.Scalar {
    /// Whether normalization may move the character: its canonical combining class is not 0.
    fileprivate var isReordered: Bool {
        switch value {
        // Without a look-up: Latin, and the characters of Chinese, Japanese and Korean.
        case 0..<0x300, 0x3100..<0xA000, 0xAC00..<0xD800: false
        default: properties.canonicalCombiningClass != .notReordered
        }
    }
}

extension String {
    /// Whether the text has at most ``CombiningRun/limit`` combining characters in a row.
    public var isWithinCombiningLimit: Bool {
        guard utf8.contains(where: { $0 >= 0x80 }) else { return true }
        var run = CombiningRun()
        return unicodeScalars.enumerated().allSatisfy { run.accepts($1, from: $0, to: $0 + 1) }
    }
}
