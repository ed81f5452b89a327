extension Headers {
    /// How long the response stays fresh: `max-age` of `Cache-Control` minus `Age` (RFC 9111 §4.2, §5.1, §5.2), at
    /// most a year.
    ///
    /// Zero for `no-store`, `no-cache` and an invalid `max-age`; `nil` without any of these directives. Of several
    /// values of `max-age`, the smallest counts.
    public var freshness: Duration? {
        let directives = filter { $0.name.equalsIgnoringASCIICase("Cache-Control") }
            .flatMap { Self.directives(in: $0.value) }
        if directives.contains(where: { ["no-store", "no-cache"].contains($0.name) }) { return .zero }
        let ages = directives.filter { $0.name == "max-age" }.map { Self.seconds($0.value) ?? 0 }
        guard let maximum = ages.min() else { return nil }
        let age = self["Age"].flatMap { Self.seconds($0.trimmed) } ?? 0
        return .seconds(Swift.min(Swift.max(0, maximum - age), 365 * 24 * 3600))
    }

    private static func directives(in field: String) -> [(name: String, value: String)] {
        separated(field).map { directive in
            let parts = directive.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? parts[1].trimmed : ""
            return (parts[0].trimmed.lowercased(), value.filter { $0 != "\"" })
        }
    }

    /// Splits at commas, but not inside quotes.
    private static func separated(_ field: String) -> [Substring] {
        var isQuoted = false
        return field.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
    }

    /// - Returns: `nil` unless `text` consists of digits; at most 2^31, the value that RFC 9111 §1.2.2 names
    ///   for numbers that are too great.
    private static func seconds(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Swift.min(Int(text) ?? 1 << 31, 1 << 31)
    }
}
