internal import CSystem

/// An error as libpq reports it.
struct ServerError {
    /// The SQLSTATE; empty if the error is not from the server.
    let code: String
    private let constraint: String?
    private let message: String
    private let serverFunction: String?

    init(_ result: OpaquePointer) {
        func field(_ name: Int32) -> String? { PQresultErrorField(result, name).map { String(cString: $0) } }
        code = field(shim_diag_sqlstate) ?? ""
        constraint = field(shim_diag_constraint)
        message = field(shim_diag_message) ?? oneLine(String(cString: PQresultErrorMessage(result)))
        serverFunction = field(shim_diag_function)
    }

    /// Whether the server no longer accepts the prepared statement: it does not exist (26000), or its result would have
    /// other columns (0A000, raised by `RevalidateCachedQuery`). The statement was not executed.
    var meansStalePreparation: Bool {
        meansMissingPreparation || (code == "0A000" && serverFunction == "RevalidateCachedQuery")
    }

    /// Whether the session does not have the prepared statement (`invalid_sql_statement_name`).
    var meansMissingPreparation: Bool { code == "26000" }

    /// Whether the error is libpq's, or the server reported that the connection or the server is not available.
    var meansUnavailable: Bool {
        code.isEmpty || code.hasPrefix("08") || Self.unavailableCodes.contains(code)
    }

    /// Whether the server lacks a resource, such as disk space (class 53), or a file operation failed (class 58). The
    /// connection remains usable, and reads may succeed.
    private var meansServerIsShort: Bool { code.hasPrefix("53") || code.hasPrefix("58") }

    private static let unavailableCodes: Set = [
        "25006",  // read_only_sql_transaction, for example because the server has become a standby
        "53300",  // too_many_connections
        "57P01",  // admin_shutdown
        "57P02",  // crash_shutdown
        "57P03",  // cannot_connect_now
        "57P05",  // idle_session_timeout
    ]

    var postgresError: PostgresError {
        if meansUnavailable { return .unavailable(message) }
        if meansServerIsShort { return .unavailable("the server reported \(code) \(message)") }
        if code == "57014" { return .timedOut }
        return .rejected(.init(code: code, constraint: constraint, message: mayContainData ? "" : message))
    }

    private var mayContainData: Bool { !Self.classesWithoutData.contains(String(code.prefix(2))) }

    /// The classes whose primary messages contain only fixed texts, names and the text of statements. Data is in
    /// `DETAIL`, which is not read.
    private static let classesWithoutData: Set = [
        "23",  // integrity constraint violation
        "25",  // invalid transaction state
        "26",  // invalid SQL statement name
        "40",  // transaction rollback
        "42",  // syntax error or access rule violation
        "55",  // object not in prerequisite state
    ]
}

/// Joins the lines of a message: libpq ends messages with a line break, and may combine several messages.
func oneLine(_ message: String) -> String {
    message.split(whereSeparator: \.isNewline).joined(separator: "; ")
}
