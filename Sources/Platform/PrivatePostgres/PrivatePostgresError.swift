internal import CSystem

public enum PrivatePostgresError: Error, CustomStringConvertible {
    /// A program or an account that must be installed was not found.
    case missing(String)
    /// Another process runs a server on this directory.
    case alreadyRunning(directory: String)
    /// A directory that must be private belongs to somebody else, or cannot be made.
    case directoryRefused(path: String, reason: String)
    /// `program` ended or did not answer in time; `log` holds the last lines it wrote.
    case failed(program: String, log: String)
    /// The running server refused an administrative statement.
    case statementRefused(String)

    /// What `errno` of this thread tells about `path`.
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
