/// Finds the separator of a CSV file: a comma, or a semicolon or a tab, which spreadsheets write in some languages.
enum CSVSeparator {
    private static let candidates = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]

    /// Returns the candidate that is most frequent outside the quoted fields of the first row that is not blank.
    ///
    /// - Parameter isWhole: whether nothing follows `head`, or nothing more shall be read.
    /// - Returns: `nil` if the row does not end in `head`, unless `isWhole`.
    static func detected(in head: [UInt8], isWhole: Bool) -> UInt8? {
        var counts = candidates.map { _ in 0 }
        var isQuoted = false
        for byte in head {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            guard !isQuoted else { continue }
            if byte == UInt8(ascii: "\n"), counts.contains(where: { $0 > 0 }) { return mostFrequent(counts) }
            if let index = candidates.firstIndex(of: byte) { counts[index] += 1 }
        }
        return isWhole ? mostFrequent(counts) : nil
    }

    /// Of equally frequent candidates, returns the first.
    private static func mostFrequent(_ counts: [Int]) -> UInt8 {
        var best = 0
        for index in counts.indices where counts[index] > counts[best] { best = index }
        return candidates[best]
    }
}
