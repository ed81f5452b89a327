internal import CSystem
internal import Encoding
internal import FoundationEssentials

/// The directories of a database cluster, and the lock that gives this process exclusive use of them.
struct ClusterFiles {
    /// The maximum length of a Unix socket path on Linux, without the final NUL.
    private static let maximumSocketPathBytes = 107

    /// The directory that the caller named, with symbolic links resolved. It contains the lock and the log.
    let directory: String
    /// The data directory of the cluster.
    let data: String
    /// The directory of the server's Unix socket.
    let sockets: String
    var log: String { "\(directory)/postgres.log" }
    private let lock: Int32

    /// - Throws: ``PrivatePostgresError/alreadyRunning(directory:)`` if another process holds the lock.
    init(directory given: String, user: ServerUser) throws {
        do {
            try FileManager.default.createDirectory(atPath: given, withIntermediateDirectories: true)
        } catch {
            throw PrivatePostgresError.pathNotUsable(path: given, reason: "the directory cannot be created")
        }
        guard let resolved = realpath(given, nil) else { throw PrivatePostgresError.systemCallFailed(on: given) }
        directory = String(cString: resolved)
        free(resolved)
        let log = "\(directory)/postgres.log"
        lock = try Self.takeLock(directory)
        do {
            _ = truncate(log, 0)  // fails if there is no log yet
            let name = "sekisho-\(Self.hash(of: directory))"
            // If this process is root, the server runs as another user, who may have no access to `directory`.
            let base = try user.canSearch(directory, log: log) ? directory : "/var/tmp/\(name)"
            if base != directory { try user.makePrivateDirectory(base) }
            data = "\(base)/data"
            let local = "\(base)/socket"
            sockets = "\(local)/.s.PGSQL.5432".utf8.count <= Self.maximumSocketPathBytes ? local : "/tmp/\(name)"
            try user.makePrivateDirectory(sockets)
        } catch {
            close(lock)
            throw error
        }
    }

    var isInitialized: Bool { access("\(data)/PG_VERSION", F_OK) == 0 }

    /// Removes the socket directory if it is empty, and unlocks the cluster for other processes.
    func release() {
        rmdir(sockets)
        close(lock)
    }

    /// Returns the last 4000 bytes of the log.
    func logTail() -> String {
        guard let bytes = FileManager.default.contents(atPath: log) else { return "(no log)" }
        return String(decoding: bytes.suffix(4000), as: UTF8.self)
    }

    /// Whether the process in `postmaster.pid` is alive and runs in this data directory.
    var isPostmasterAlive: Bool {
        guard let bytes = FileManager.default.contents(atPath: "\(data)/postmaster.pid"),
            let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first,
            let folder = realpath("/proc/\(line)/cwd", nil)
        else { return false }
        defer { free(folder) }
        return String(cString: folder) == data
    }

    private static func takeLock(_ directory: String) throws(PrivatePostgresError) -> Int32 {
        let path = "\(directory)/lock"
        let descriptor = shim_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .systemCallFailed(on: path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .alreadyRunning(directory: directory)
        }
        return descriptor
    }

    /// Returns the beginning of the SHA-256 digest, as 16 hexadecimal digits.
    private static func hash(of text: String) -> String {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        EVP_Digest(text, text.utf8.count, &digest, nil, EVP_sha256(), nil)
        return Hexadecimal.encode(digest.prefix(8))
    }
}

extension ClusterFiles {
    /// Returns a URI for libpq. Its host, port and user take precedence over the environment variables of libpq.
    func url(database: String) -> String {
        "postgresql:///\(escaped(database))?host=\(escaped(sockets))&port=5432&user=postgres"
    }
}

private func escaped(_ text: String) -> String { PercentEncoding.encode(text, keeping: "/") }
