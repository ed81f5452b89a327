/// Why a statement gave no result. No description holds a parameter's value or a password.
public enum PostgresError: Error, Sendable, CustomStringConvertible {
    /// The database cannot be reached, or was lost while the statement ran: it may have been carried out.
    case unavailable(String)
    /// The statement took longer than its deadline; it may have been carried out only if it was a `COMMIT`.
    case timedOut
    /// The server said no; nothing of the statement was carried out.
    case refused(Refusal)
    case decoding(column: String, fault: DecodingFault)
    /// Refused before it was sent; `position` counts from 1.
    case invalidParameter(position: Int, reason: String)

    /// What the server said.
    public struct Refusal: Sendable {
        /// The five characters of the SQLSTATE (PostgreSQL documentation, appendix A).
        public let code: String
        public let constraint: String?
        /// The server's primary message; empty where such messages quote data.
        public let message: String
    }

    /// The constraint whose uniqueness was violated.
    public var uniqueViolation: String? {
        guard case .refused(let refusal) = self, refusal.code == "23505" else { return nil }
        return refusal.constraint
    }

    /// Whether the transaction lost against another one (serialization failure or deadlock) and may be tried again.
    public var isSerializationFailure: Bool {
        guard case .refused(let refusal) = self else { return false }
        return refusal.code == "40001" || refusal.code == "40P01"
    }

    public var description: String {
        switch self {
        case .unavailable(let reason): "the database is unavailable: \(reason)"
        case .timedOut: "the statement took longer than its deadline"
        case .refused(let refusal): "the database refused: \(refusal)"
        case .decoding(let column, let fault): "column \(column) cannot be read: \(fault)"
        case .invalidParameter(let position, let reason): "parameter \(position) cannot be sent: \(reason)"
        }
    }
}

extension PostgresError.Refusal: CustomStringConvertible {
    static let transactionIsOver = Self(code: "25P01", constraint: nil, message: "the transaction is over")
    static let rolledBack = Self(
        code: "25P02", constraint: nil, message: "COMMIT rolled back, for a statement before it had failed")

    public var description: String {
        [code, constraint, message.isEmpty ? nil : message].compactMap(\.self).joined(separator: " ")
    }
}
