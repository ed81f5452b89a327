internal import Gateway
internal import JSON

/// Reports the rejected rows and the progress of an import. On a terminal, the progress has a bar if the size of the
/// file is known.
final class ImportReport {
    private static let barWidth = 30

    private let size: Int?
    private let errors: NewFile?
    private let progress = ProgressLine(itemsPerLine: 100_000)
    private let startedAt = ContinuousClock.now

    private(set) var stored = 0
    private(set) var existing = 0
    private(set) var rejected = 0
    private(set) var skippedIdentities = 0

    /// - Parameters:
    ///   - size: the size of the file in bytes; `nil` if it is not known.
    ///   - errors: the file for the errors of rejected rows, as JSON lines; `nil` writes text to standard error.
    init(size: Int?, errors: NewFile?) {
        self.size = size
        self.errors = errors
    }

    func reject(_ fault: UserFault) throws {
        rejected += 1
        if let errors {
            return try errors.write(try StrictJSON.encode(fault) + [UInt8(ascii: "\n")])
        }
        progress.clear()
        // Only printable ASCII, because the file may contain control sequences for the terminal.
        let id = fault.localId.map { $0.filter { $0.isASCII && ("!"..."~").contains($0) }.prefix(128) }
        let user = id.map { " (\($0))" } ?? ""
        Terminal.writeError("line \(fault.line)\(user): \(fault.error)")
    }

    /// Adds the numbers of a batch to the totals, and shows the progress.
    ///
    /// - Parameter bytesRead: the number of bytes of the file that have been read, including those of earlier batches.
    func add(stored: Int, existing: Int, skippedIdentities: Int, bytesRead: Int) {
        self.stored += stored
        self.existing += existing
        self.skippedIdentities += skippedIdentities
        let rows = self.stored + self.existing + rejected
        let rate = Int(Double(rows) / max(0.001, (ContinuousClock.now - startedAt) / .seconds(1)))
        progress.show(
            "\(rows) \(rows == 1 ? "row" : "rows"), \(rate) per second", after: rows, bar: bar(bytesRead))
    }

    /// Writes the totals.
    ///
    /// - Throws: ``Failure`` if rows were rejected.
    func finish() throws {
        progress.clear()
        try errors?.finish()
        var parts = ["imported \(stored) \(stored == 1 ? "account" : "accounts")"]
        if existing > 0 { parts.append("\(existing) already existed") }
        if skippedIdentities > 0 {
            let noun = skippedIdentities == 1 ? "identity" : "identities"
            parts.append("skipped \(skippedIdentities) \(noun) of unsupported providers")
        }
        Terminal.writeLine(parts.joined(separator: ", "))
        if rejected > 0 {
            throw Failure(message: "\(rejected) \(rejected == 1 ? "row was" : "rows were") not imported")
        }
    }

    private func bar(_ bytesRead: Int) -> String {
        guard let size, size > 0 else { return "" }
        let fractionRead = min(1, Double(bytesRead) / Double(size))
        let filled = Int(fractionRead * Double(Self.barWidth))
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: Self.barWidth - filled)
        return "[\(bar)] \(Int(fractionRead * 100)) %  "
    }
}
