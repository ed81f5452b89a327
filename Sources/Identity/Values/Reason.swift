/// Why an operator claims an exception from a rule. Administrators and App Review read the text on one line.
public struct Reason: Hashable, Sendable {
    /// The given text on one line: without white space at its ends, without control characters and invisible
    /// characters, and with one space for every sequence of other white space. At most 501 Unicode scalars.
    public let text: String
    /// Whether the text has at least four different letters or digits, and at most 500 Unicode scalars. An invalid
    /// reason is treated like none.
    public let isValid: Bool

    private static let lengthLimit = 500
    private static let minimumOfDifferentCharacters = 4
    /// The rule for an error message; continues a sentence whose subject is the reason.
    static let rule = "must have at least 4 different letters or digits, and at most 500 characters"

    public init(_ text: String) {
        var scalars = String.UnicodeScalarView()
        var seen: Set<Unicode.Scalar> = []
        var followsSpace = false
        for scalar in text.unicodeScalars where !scalar.isInvisible {
            guard !scalar.isSpace else {
                followsSpace = !scalars.isEmpty
                continue
            }
            // One scalar more than allowed, so that the text is known to be too long.
            guard scalars.count <= Self.lengthLimit else { break }
            if followsSpace { scalars.append(" ") }
            followsSpace = false
            scalars.append(scalar)
            if scalar.isLetterOrDigit { seen.insert(scalar) }
        }
        self.text = String(scalars)
        isValid = seen.count >= Self.minimumOfDifferentCharacters && scalars.count <= Self.lengthLimit
    }
}

extension Unicode.Scalar {
    /// White space, or a control character: terminals and logs may move to another line.
    fileprivate var isSpace: Bool {
        properties.isWhitespace || properties.generalCategory == .control
    }

    /// Format characters, such as directional overrides, and letters without a glyph, such as U+3164. Joiners that
    /// some scripts need (U+200C, U+200D) are kept.
    fileprivate var isInvisible: Bool {
        guard value != 0x200C, value != 0x200D else { return false }
        return properties.isDefaultIgnorableCodePoint || properties.generalCategory == .format
    }

    fileprivate var isLetterOrDigit: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber:
            true
        default: false
        }
    }
}
