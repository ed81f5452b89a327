/// Why a statement has no result. Descriptions contain neither parameters nor passwords.
public enum PostgresError: Error, Sendable, CustomStringConvertible {
    /// The database is unreachable, or the connection was lost while the statement ran. The statement may have been
    /// executed.
    case unavailable(String)
    /// The statement took longer than its deadline. Only a `COMMIT` may have been executed.
    case timedOut
    /// The server rejected the statement; nothing was changed.
    case refused(ServerRefusal)
    /// A column of the result could not be decoded. The statement was executed.
    case decoding(column: String, fault: DecodingFault)
    /// The statement was rejected before it was sent. `position` counts from 1.
    case invalidParameter(position: Int, reason: String)

    /// The server's error.
    public struct ServerRefusal: Sendable {
        /// The five characters of the SQLSTATE (PostgreSQL documentation, appendix A).
        public let code: String
        public let constraint: String?
        /// The server's primary message; empty for classes of errors whose messages may quote data.
        public let message: String
    }

    /// The name of the violated unique constraint; `nil` for other errors.
    public var uniqueViolation: String? {
        guard case .refused(let refusal) = self, refusal.code == "23505" else { return nil }
        return refusal.constraint
    }

    /// Whether the transaction conflicted with another one (serialization failure or deadlock) and may be retried.
    public var isSerializationFailure: Bool {
        guard case .refused(let refusal) = self else { return false }
        return refusal.code == "40001" || refusal.code == "40P01"
    }

    public var description: String {
        switch self {
        case .unavailable(let reason): "the database is unavailable: \(reason)"
        case .timedOut: "the statement took longer than its deadline"
        case .refused(let refusal): "the database rejected the statement: \(refusal)"
        case .decoding(let column, let fault): "column \(column) cannot be read: \(fault)"
        case .invalidParameter(let position, let reason): "parameter \(position) cannot be sent: \(reason)"
        }
    }
}

extension PostgresError.ServerRefusal: CustomStringConvertible {
    static let transactionIsOver = Self(code: "25P01", constraint: nil, message: "the transaction is over")
    static let rolledBack = Self(
        code: "25P02", constraint: nil, message: "COMMIT rolled back, because an earlier statement failed")

    public var description: String {
        [code, constraint, message.isEmpty ? nil : message].compactMap(\.self).joined(separator: " ")
    }
}
