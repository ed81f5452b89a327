internal import CSystem

/// An error as libpq reports it.
struct ServerError {
    /// The SQLSTATE; empty if the error is not from the server.
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

    /// Whether the server no longer accepts the prepared statement. The statement was not executed.
    var meansStalePreparation: Bool {
        code == "26000" || (code == "0A000" && origin == "RevalidateCachedQuery")
    }

    /// Whether the connection failed, or the server is stopping, starting, has no free connection, or has become a
    /// standby.
    var meansUnavailable: Bool {
        code.isEmpty || code.hasPrefix("08")
            || ["57P01", "57P02", "57P03", "57P05", "53300", "25006"].contains(code)
    }

    var postgresError: PostgresError {
        if meansUnavailable { return .unavailable(message) }
        if code == "57014" { return .timedOut }
        return .refused(.init(code: code, constraint: constraint, message: quotesData ? "" : message))
    }

    /// Whether the message may quote data. Messages of the listed classes contain only states and names.
    private var quotesData: Bool {
        !["23", "25", "26", "40", "42", "53", "55"].contains(String(code.prefix(2)))
    }
}

/// Joins the lines of a message: libpq ends messages with a line break, and may combine several messages.
func oneLine(_ message: String) -> String {
    message.split(whereSeparator: \.isNewline).joined(separator: "; ")
}
