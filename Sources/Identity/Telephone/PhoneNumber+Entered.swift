extension PhoneNumber {
    /// Reads a number that a user has entered, or an app has formatted. Separators are dropped.
    ///
    /// - Parameter acceptsTestNumbers: whether a number may have fewer digits than any real one.
    /// - Returns: `nil` unless the rest is a plus sign and 7 to 15 digits that do not begin with 0.
    init?(entered text: String?, acceptsTestNumbers: Bool) {
        guard let text, text.utf8.count <= 64 else { return nil }
        let grouped = text.unicodeScalars.filter { !Self.separators.contains($0) }
        // People write `+44 (0)20 …` for callers from two countries; these digits are not a number.
        guard !Array(grouped).elementsContain(Array("(0)".unicodeScalars)) else { return nil }
        let kept = grouped.filter { $0 != "(" && $0 != ")" }
        self.init(String(String.UnicodeScalarView(kept)))
        guard acceptsTestNumbers || isDiallable else { return nil }
    }

    /// Reads a number that an administrator sets, which must have no separators.
    init?(administered text: String, in realm: Realm) {
        self.init(text)
        guard realm.project.modeRules.listsPhoneCodes || isDiallable else { return nil }
    }

    /// Whether the number has 7 to 15 digits that do not begin with 0. No code can be sent to any other number.
    public var isDiallable: Bool {
        let digits = rawValue.utf8.dropFirst()
        return (7...15).contains(digits.count) && digits.first != UInt8(ascii: "0")
    }

    private static let separators: Set<Unicode.Scalar> = [" ", "\u{A0}", "-", ".", "/"]

    /// The number without its last three digits: a block, which one provider usually owns.
    var block: String { String(rawValue.dropLast(3)) }

    /// The number with its digits replaced by asterisks, except the last four.
    public var masked: String {
        let digits = rawValue.dropFirst()
        return "+" + String(repeating: "*", count: max(digits.count - 4, 0)) + digits.suffix(4)
    }
}

extension Collection where Element: Equatable {
    /// Whether `part` occurs.
    fileprivate func elementsContain(_ part: some Collection<Element>) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}
