internal import Gateway
internal import JSON

/// Parses the rows of a CSV file (RFC 4180) in chunks.
struct CSVUsers {
    private var line = 1
    private var rowLine = 1
    private var fields: [[UInt8]] = []
    private var field: [UInt8] = []
    private var count = 0
    private var state = State.start

    private enum State {
        case start
        case plain
        case quoted
        /// After a quotation mark in a quoted field. The mark ends the field or escapes the next mark.
        case quotationMark
        /// In the remaining bytes of a row that is too long.
        case skipped
    }

    mutating func parse(_ chunk: [UInt8], _ body: (UserRow) throws -> Void) rethrows {
        for byte in chunk {
            count += 1
            if count > UserFormat.rowLimit, state != .skipped {
                state = .skipped
                try body(UserRow(line: rowLine, json: nil))
            }
            if byte == UInt8(ascii: "\n") { line += 1 }
            try step(byte, body)
        }
    }

    /// - Throws: ``Failure`` if a quoted field does not end.
    mutating func finish(_ body: (UserRow) throws -> Void) throws {
        guard state != .quoted else {
            throw Failure(message: "unterminated quoted field in the row at line \(rowLine)")
        }
        if !fields.isEmpty || !field.isEmpty { try endRow(body) }
    }

    private mutating func step(_ byte: UInt8, _ body: (UserRow) throws -> Void) rethrows {
        switch (state, byte) {
        case (.skipped, UInt8(ascii: "\n")): resetRow()
        case (.skipped, _): break
        case (.quoted, UInt8(ascii: "\"")): state = .quotationMark
        case (.quoted, _): field.append(byte)
        case (.quotationMark, UInt8(ascii: "\"")):
            field.append(byte)
            state = .quoted
        case (_, UInt8(ascii: ",")): endField()
        case (_, UInt8(ascii: "\n")): try endRow(body)
        case (_, UInt8(ascii: "\r")): break
        case (.start, UInt8(ascii: "\"")): state = .quoted
        default:
            field.append(byte)
            state = .plain
        }
    }

    private mutating func endField() {
        fields.append(field)
        field = []
        state = .start
    }

    private mutating func endRow(_ body: (UserRow) throws -> Void) rethrows {
        endField()
        let isBlank = fields.allSatisfy(\.isEmpty)
        let row = UserRow(line: rowLine, json: CSVColumns.json(of: fields))
        resetRow()
        if !isBlank { try body(row) }
    }

    private mutating func resetRow() {
        fields = []
        field = []
        count = 0
        state = .start
        rowLine = line
    }
}
