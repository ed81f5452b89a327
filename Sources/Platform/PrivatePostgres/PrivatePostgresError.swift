internal import CSystem

/// Why a private server could not be started or used.
public enum PrivatePostgresError: Error, CustomStringConvertible {
    /// A required program or system account does not exist.
    case missing(String)
    /// Another process runs a server in this directory.
    case alreadyRunning(directory: String)
    /// A directory that must be private belongs to another user, or cannot be created.
    case directoryRefused(path: String, reason: String)
    /// `program` failed or timed out; `log` has its last lines.
    case failed(program: String, log: String)
    /// The server rejected an administrative statement.
    case statementRefused(String)

    /// Reads `errno` of the calling thread.
    static func system(_ path: String) -> PrivatePostgresError {
        .directoryRefused(path: path, reason: String(cString: strerror(shim_errno())))
    }

    public var description: String {
        switch self {
        case .missing(let name): "\(name) is not installed"
        case .alreadyRunning(let directory): "another process runs PostgreSQL in \(directory)"
        case .directoryRefused(let path, let reason): "\(path) cannot be used: \(reason)"
        case .failed(let program, let log): "\(program) failed:\n\(log)"
        case .statementRefused(let message): message
        }
    }
}
