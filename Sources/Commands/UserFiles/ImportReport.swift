internal import Gateway
internal import Glibc
internal import JSON

/// Tells how an import is getting on: a bar on a terminal, a line now and then elsewhere; and what is wrong with rows.
final class ImportReport {
    private static let rowsPerLine = 100_000
    private static let barWidth = 30

    private let size: Int?
    private let errors: NewFile?
    private let isOnTerminal = isatty(STDERR_FILENO) == 1
    private let begin = ContinuousClock.now
    private var linesShown = 0

    private(set) var stored = 0
    private(set) var alreadyThere = 0
    private(set) var refused = 0
    private(set) var leftOut = 0

    /// - Parameters:
    ///   - size: of the file, in bytes.
    ///   - errors: where rows that were refused go as lines of JSON, instead of standard error.
    init(size: Int?, errors: NewFile?) {
        self.size = size
        self.errors = errors
    }

    func refuse(_ fault: UserFault) throws {
        refused += 1
        if let errors {
            return try errors.write(try StrictJSON.encode(fault) + [UInt8(ascii: "\n")])
        }
        if isOnTerminal { Terminal.writeProgress("\r\u{1B}[K") }
        let user = fault.localId.map { " (\($0.filter { $0.isASCII && !$0.isWhitespace }.prefix(128)))" } ?? ""
        Terminal.writeError("line \(fault.line)\(user): \(fault.error)")
    }

    func count(stored: Int, alreadyThere: Int, leftOut: Int, bytes: Int) {
        self.stored += stored
        self.alreadyThere += alreadyThere
        self.leftOut += leftOut
        let rows = self.stored + self.alreadyThere + refused
        let rate = Int(Double(rows) / max(0.001, (ContinuousClock.now - begin) / .seconds(1)))
        if isOnTerminal {
            Terminal.writeProgress("\r\u{1B}[K\(bar(bytes))\(rows) rows, \(rate) a second")
        } else if rows / Self.rowsPerLine > linesShown {
            linesShown = rows / Self.rowsPerLine
            Terminal.writeProgress("\(rows) rows, \(rate) a second\n")
        }
    }

    /// - Throws: ``Failure`` if rows were refused.
    func finish() throws {
        if isOnTerminal { Terminal.writeProgress("\r\u{1B}[K") }
        try errors?.finish()
        var parts = ["imported \(stored) \(stored == 1 ? "account" : "accounts")"]
        if alreadyThere > 0 { parts.append("\(alreadyThere) were there already") }
        if leftOut > 0 { parts.append("left out \(leftOut) identities of providers that are not supported here") }
        Terminal.writeLine(parts.joined(separator: ", "))
        if refused > 0 { throw Failure(message: "\(refused) \(refused == 1 ? "row was" : "rows were") not imported") }
    }

    private func bar(_ bytes: Int) -> String {
        guard let size, size > 0 else { return "" }
        let share = min(1, Double(bytes) / Double(size))
        let filled = Int(share * Double(Self.barWidth))
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: Self.barWidth - filled)
        return "[\(bar)] \(Int(share * 100)) %  "
    }
}
