internal import Gateway
internal import JSON

/// Parses the rows of a CSV file (RFC 4180) in chunks. The separator is the most frequent one of the first row.
///
/// A row that is too long is parsed to its end, because newlines in its quoted fields do not end the row. Its fields
/// are not kept.
struct CSVUsers {
    /// The beginning of the file until the separator is known.
    private var head: [UInt8] = []
    private var separator: UInt8?
    /// The numbers of columns that a row may have; empty until the first row has ended.
    private var acceptedCounts: [Int] = []
    private var line = 1
    /// The line where the current row begins.
    private var rowLine = 1
    private var fields: [[UInt8]] = []
    private var field: [UInt8] = []
    /// The number of bytes of the current row so far, without the newline that ends the row.
    private var rowSize = 0
    private var isTooLong: Bool { rowSize > UserFormat.rowLimit }
    private var hasTextAfterQuotationMark = false
    private var state = State.start

    private enum State {
        case start
        case plain
        case quoted
        /// After a quotation mark in a quoted field. The mark ends the field or escapes the next mark.
        case quotationMark
    }

    /// Parses the next bytes of the file, and calls `body` with each row that ends in them.
    mutating func parse(_ chunk: [UInt8], _ body: (UserRow) throws -> Void) rethrows {
        guard separator == nil else { return try parse(rows: chunk, body) }
        head += chunk
        guard let found = CSVSeparator.detected(in: head, isWhole: head.count > UserFormat.rowLimit) else { return }
        try parseHead(separatedBy: found, body)
    }

    private mutating func parseHead(separatedBy found: UInt8, _ body: (UserRow) throws -> Void) rethrows {
        separator = found
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let rows = head.starts(with: byteOrderMark) ? Array(head.dropFirst(byteOrderMark.count)) : head
        head = []
        try parse(rows: rows, body)
    }

    private mutating func parse(rows chunk: [UInt8], _ body: (UserRow) throws -> Void) rethrows {
        for byte in chunk {
            let isNewline = byte == UInt8(ascii: "\n")
            if isNewline { line += 1 }
            if !isNewline || state == .quoted { rowSize += 1 }
            try step(byte, body)
        }
    }

    /// Calls `body` with the last row of the file, unless that row is blank. Call it after the last chunk.
    ///
    /// - Throws: ``Failure`` if a quoted field does not end.
    mutating func finish(_ body: (UserRow) throws -> Void) throws {
        if separator == nil, let found = CSVSeparator.detected(in: head, isWhole: true) {
            try parseHead(separatedBy: found, body)
        }
        guard state != .quoted else {
            throw Failure(message: "unterminated quoted field in the row at line \(rowLine)")
        }
        try endRow(body)
    }

    private mutating func step(_ byte: UInt8, _ body: (UserRow) throws -> Void) rethrows {
        switch (state, byte) {
        case (.quoted, UInt8(ascii: "\"")): state = .quotationMark
        case (.quoted, _): append(byte)
        case (.quotationMark, UInt8(ascii: "\"")):
            append(byte)
            state = .quoted
        case (_, let other) where other == separator: endField()
        case (_, UInt8(ascii: "\n")): try endRow(body)
        case (_, UInt8(ascii: "\r")): break
        case (.start, UInt8(ascii: "\"")): state = .quoted
        default:
            if state == .quotationMark { hasTextAfterQuotationMark = true }
            append(byte)
            state = .plain
        }
    }

    private mutating func append(_ byte: UInt8) {
        if !isTooLong { field.append(byte) }
    }

    private mutating func endField() {
        if !isTooLong { fields.append(field) }
        field = []
        state = .start
    }

    private mutating func endRow(_ body: (UserRow) throws -> Void) rethrows {
        endField()
        let isBlank = !isTooLong && fields.allSatisfy(\.isEmpty)
        if !isBlank, !isTooLong, acceptedCounts.isEmpty {
            acceptedCounts = CSVColumns.acceptedCounts(afterRowWith: fields.count)
        }
        let row = UserRow(line: rowLine, json: json)
        resetRow()
        if !isBlank { try body(row) }
    }

    private var json: Result<[UInt8], UserRow.Fault> {
        if isTooLong { return .failure(.tooLong) }
        if hasTextAfterQuotationMark { return .failure(.textAfterQuotationMark) }
        guard acceptedCounts.contains(fields.count) else {
            return .failure(.columnCount(fields.count, accepted: acceptedCounts))
        }
        return .success(CSVColumns.json(of: fields))
    }

    private mutating func resetRow() {
        fields = []
        field = []
        rowSize = 0
        hasTextAfterQuotationMark = false
        state = .start
        rowLine = line
    }
}
