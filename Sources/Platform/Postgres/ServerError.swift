internal import CSystem

/// An error as libpq hands it over, before anyone else sees it.
struct ServerError {
    /// Empty if it did not come from the server.
    let code: String
    private let constraint: String?
    private let message: String
    private let origin: String?

    init(_ result: OpaquePointer) {
        func field(_ name: Int32) -> String? { PQresultErrorField(result, name).map { String(cString: $0) } }
        code = field(shim_diag_sqlstate) ?? ""
        constraint = field(shim_diag_constraint)
        message = field(shim_diag_message) ?? oneLine(String(cString: PQresultErrorMessage(result)))
        origin = field(shim_diag_function)
    }

    /// The server no longer knows the statement as it was prepared; nothing was carried out.
    var meansStalePreparation: Bool {
        code == "26000" || (code == "0A000" && origin == "RevalidateCachedQuery")
    }

    /// The connection leads to a server that ends, begins, is full, or has become a standby.
    var meansUnavailable: Bool {
        code.isEmpty || code.hasPrefix("08")
            || ["57P01", "57P02", "57P03", "57P05", "53300", "25006"].contains(code)
    }

    var published: PostgresError {
        if meansUnavailable { return .unavailable(message) }
        if code == "57014" { return .timedOut }
        return .refused(.init(code: code, constraint: constraint, message: quotesData ? "" : message))
    }

    /// Messages of these classes are about states and names; all others may repeat a value.
    private var quotesData: Bool {
        !["23", "25", "26", "40", "42", "53", "55"].contains(String(code.prefix(2)))
    }
}

/// libpq ends its messages with a line break and may put several into one.
func oneLine(_ message: String) -> String {
    message.split(whereSeparator: \.isNewline).joined(separator: "; ")
}
