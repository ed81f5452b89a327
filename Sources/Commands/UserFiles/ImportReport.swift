internal import API
internal import Gateway
internal import Identity
internal import JSON

/// Reports the rejected and the changed rows, and the progress of an import. On a terminal, the progress has a bar if
/// the size of the file is known.
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
    private var changed = 0
    private var withoutSecondFactors = 0
    private var notAskedForSecondFactors = 0
    /// The number of rejected rows whose IDs existing accounts have.
    private var rejectedWithExistingID = 0

    /// Whether the database has accounts of the file, as far as is known.
    var isPartial: Bool { stored > 0 || existing > 0 || rejectedWithExistingID > 0 }

    /// - Parameters:
    ///   - size: the size of the file in bytes; `nil` if it is not known.
    ///   - errors: the file for the errors of rejected rows and the changes of others, as JSON lines; `nil` writes text
    ///     to standard error.
    init(size: Int?, errors: NewFile?) {
        self.size = size
        self.errors = errors
    }

    /// - Parameter existed: whether an existing account has the ID.
    func reject(_ fault: UserFault, existed: Bool = false) throws {
        rejected += 1
        if existed { rejectedWithExistingID += 1 }
        if let errors {
            return try errors.write(try StrictJSON.encode(fault) + [UInt8(ascii: "\n")])
        }
        write(fault.error, of: fault.localId, line: fault.line)
    }

    /// Reports what of an imported account was changed or left out.
    func note(_ changes: [ImportedUser.Change], of id: ID<Account>, line: Int) throws {
        guard !changes.isEmpty else { return }
        changed += 1
        if changes.contains(.secondFactorsWereDropped) { withoutSecondFactors += 1 }
        if changes.contains(.secondFactorIsNotDemanded) { notAskedForSecondFactors += 1 }
        let text = changes.map(\.message).joined(separator: "; ")
        if let errors {
            let note = UserNote(line: line, localId: id.rawValue, change: text)
            return try errors.write(try StrictJSON.encode(note) + [UInt8(ascii: "\n")])
        }
        write("imported, but \(text)", of: id.rawValue, line: line)
    }

    private func write(_ text: String, of id: String?, line: Int) {
        progress.clear()
        // Only printable ASCII, because the file may contain control sequences for the terminal.
        let user = id.map { " (\($0.unicodeScalars.prefix(128).map { $0.escaped(asASCII: true) }.joined()))" } ?? ""
        Terminal.writeError("line \(line)\(user): \(text)")
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
        if changed > 0 { parts.append("changed \(changed) of them") }
        if withoutSecondFactors > 0 { parts.append("\(withoutSecondFactors) without their second factors") }
        if notAskedForSecondFactors > 0 {
            parts.append("\(notAskedForSecondFactors) whose second factors no sign-in asks for")
        }
        Terminal.writeLine(parts.joined(separator: ", "))
        if rejected > 0 {
            var message = "\(rejected) \(rejected == 1 ? "row was" : "rows were") not imported"
            if rejectedWithExistingID > 0 {
                message += "; \(rejectedWithExistingID) of them already existed, which --resume skips"
            }
            throw Failure(message: message)
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
