/// Why a statement has no result. Descriptions contain neither parameters nor passwords.
public enum PostgresError: Error, Sendable, CustomStringConvertible {
    /// No connection was available, the connection was lost while the statement ran, or the server reported that it is
    /// not available, for example because it is a standby or its disk is full. The statement may have been executed.
    case unavailable(String)
    /// The statement took longer than its deadline, or was cancelled on the server. A `COMMIT`, or a statement outside
    /// of a transaction, may have been executed.
    case timedOut
    /// The server rejected the statement; nothing was changed.
    case rejected(ServerRejection)
    /// A column of the result could not be decoded. The statement was executed.
    case decoding(column: String, fault: DecodingFault)
    /// The statement was rejected before it was sent. `position` counts from 1.
    case invalidParameter(position: Int, reason: String)

    /// The server's error, or an error of the pool with one of PostgreSQL's error codes.
    public struct ServerRejection: Sendable {
        /// The five characters of the SQLSTATE (PostgreSQL documentation, appendix A).
        public let code: String
        public let constraint: String?
        /// The server's primary message; empty for classes of errors whose messages may quote data.
        public let message: String
    }

    /// The name of the violated unique constraint; `nil` for other errors.
    public var violatedUniqueConstraint: String? {
        guard case .rejected(let rejection) = self, rejection.code == "23505" else { return nil }
        return rejection.constraint
    }

    /// Whether the transaction conflicted with another one (serialization failure or deadlock) and may be retried.
    public var isTransactionConflict: Bool {
        guard case .rejected(let rejection) = self else { return false }
        return rejection.code == "40001" || rejection.code == "40P01"
    }

    public var description: String {
        switch self {
        case .unavailable(let reason): "the database is unavailable: \(reason)"
        case .timedOut: "the statement took longer than its deadline"
        case .rejected(let rejection): "the database rejected the statement: \(rejection)"
        case .decoding(let column, let fault): "column \(column) cannot be read: \(fault)"
        case .invalidParameter(let position, let reason): "parameter \(position) cannot be sent: \(reason)"
        }
    }
}

extension PostgresError.ServerRejection: CustomStringConvertible {
    static let transactionIsOver = Self(code: "25P01", constraint: nil, message: "the transaction is over")
    static let rolledBack = Self(
        code: "25P02", constraint: nil, message: "COMMIT rolled back, because an earlier statement failed")
    static let copyIsNotSupported = Self(code: "0A000", constraint: nil, message: "COPY is not supported")

    public var description: String {
        [code, constraint, message.isEmpty ? nil : message].compactMap(\.self).joined(separator: " ")
    }
}
