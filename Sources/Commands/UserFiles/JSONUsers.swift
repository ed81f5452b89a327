internal import Gateway

/// Splits the member `users` of a JSON file into its objects while the file is read in chunks. Each object is parsed
/// separately later, so that an invalid object does not affect the others.
struct JSONUsers {
    private var line = 1
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// The last string in the outermost object, which may be the name of a member. Strings that are longer than any
    /// compared name are truncated.
    private var name: [UInt8] = []
    private var position = Position.beforeArray
    private var row: [UInt8] = []
    private var rowLine = 0
    private var isTooLong = false
    /// Whether the file has a closing bracket without an opening one.
    private var isBroken = false

    private enum Position {
        case beforeArray
        /// In the array, between its elements.
        case betweenElements
        case inObject
        /// In an element that is not an object.
        case inOtherElement
        case afterArray
    }

    /// Parses the next bytes of the file, and calls `body` with each object of `users` that ends in these bytes, and
    /// with each other element of `users` that begins in them.
    mutating func parse(_ chunk: [UInt8], _ body: (UserRow) -> Void) {
        // Iteration over the array itself would retain and release it for every byte.
        chunk.withUnsafeBufferPointer { parse($0, body) }
    }

    private mutating func parse(_ chunk: UnsafeBufferPointer<UInt8>, _ body: (UserRow) -> Void) {
        /// The index where the current row begins; 0 if the row began in an earlier chunk.
        var start = 0
        for index in chunk.indices where !isBroken {
            let byte = chunk[index]
            if byte == UInt8(ascii: "\n") { line += 1 }
            if isInString {
                step(inString: byte)
                continue
            }
            let wasInObject = position == .inObject
            step(byte, body)
            guard wasInObject != (position == .inObject) else { continue }
            if wasInObject {
                append(chunk[start...index])
                body(UserRow(line: rowLine, json: isTooLong ? .failure(.tooLong) : .success(row)))
            } else {
                start = index
                row = []
                isTooLong = false
            }
        }
        if position == .inObject { append(chunk[start...]) }
    }

    /// Checks that the file is complete. Call it after the last chunk.
    ///
    /// - Throws: ``Failure`` if the file is invalid or truncated.
    func finish() throws(Failure) {
        guard position != .beforeArray else { throw Failure(message: "the file has no array \"users\"") }
        guard !isBroken, depth == 0, !isInString else {
            throw Failure(message: "invalid or truncated JSON at line \(line)")
        }
    }

    private mutating func append(_ part: Slice<UnsafeBufferPointer<UInt8>>) {
        isTooLong = isTooLong || row.count + part.count > UserFormat.rowLimit
        if !isTooLong { row.append(contentsOf: part) }
    }

    private mutating func step(inString byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
        } else if depth == 1, name.count < 16 {
            name.append(byte)
        }
    }

    private mutating func step(_ byte: UInt8, _ body: (UserRow) -> Void) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): open(byte, body)
        case UInt8(ascii: "}"), UInt8(ascii: "]"): close()
        case UInt8(ascii: ","):
            if position == .inOtherElement, depth == 2 { position = .betweenElements }
        case UInt8(ascii: "\""):
            isInString = true
            if depth == 1 { name = [] }
            reportNonObject(body)
        case 0x20, 0x09, 0x0A, 0x0D: break
        default: reportNonObject(body)
        }
    }

    private mutating func open(_ byte: UInt8, _ body: (UserRow) -> Void) {
        depth += 1
        if position == .beforeArray, depth == 2, byte == UInt8(ascii: "["), name == Array("users".utf8) {
            position = .betweenElements
        } else if position == .betweenElements, byte == UInt8(ascii: "{") {
            position = .inObject
            rowLine = line
        } else {
            reportNonObject(body)
        }
    }

    private mutating func close() {
        depth -= 1
        if depth < 0 { isBroken = true }
        if position == .inObject, depth == 2 {
            position = .betweenElements
        } else if position == .betweenElements || position == .inOtherElement, depth == 1 {
            position = .afterArray
        }
    }

    /// Reports that an element is not an object, if the current byte begins an element.
    private mutating func reportNonObject(_ body: (UserRow) -> Void) {
        guard position == .betweenElements else { return }
        position = .inOtherElement
        body(UserRow(line: line, json: .failure(.notAnObject)))
    }
}
