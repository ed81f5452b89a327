internal import CSystem

/// Why a private server could not be started or used.
public enum PrivatePostgresError: Error, CustomStringConvertible {
    /// A required program or system account does not exist. `instruction` tells the operator what to do.
    case missing(String, instruction: String)
    /// Another process runs a server in this directory.
    case alreadyRunning(directory: String)
    /// A file or directory cannot be used, for example because it belongs to another user.
    case pathNotUsable(path: String, reason: String)
    /// `program` failed or timed out. `log` contains the last lines of its log, or the reason why it could not be
    /// started.
    case failed(program: String, log: String)
    /// The connection for administrative statements could not be opened.
    case connectionFailed(String)
    /// The server rejected an administrative statement, or a name in the statement is not valid.
    case statementRejected(String)

    /// Reads `errno` of the calling thread.
    static func systemCallFailed(on path: String) -> PrivatePostgresError {
        .pathNotUsable(path: path, reason: String(cString: strerror(shim_errno())))
    }

    public var description: String {
        switch self {
        case .missing(let name, let instruction): "\(name) was not found on this machine: \(instruction)"
        case .alreadyRunning(let directory):
            "another process runs PostgreSQL in \(directory): stop that process, or use another directory"
        case .pathNotUsable(let path, let reason): "\(path) cannot be used: \(reason)"
        case .failed(let program, let log): "\(program) failed, or did not start in time:\n\(log)"
        case .connectionFailed(let message): "cannot connect to the private PostgreSQL server: \(message)"
        case .statementRejected(let message): "the private PostgreSQL server rejected a statement: \(message)"
        }
    }
}
