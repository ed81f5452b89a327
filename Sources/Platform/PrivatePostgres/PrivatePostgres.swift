internal import CSystem
internal import FoundationEssentials
internal import Synchronization

/// A PostgreSQL server for this process only. Its database cluster is created on first use and kept between runs. The
/// server stops with the process.
///
/// The server listens only on a Unix socket in a private directory, without passwords. All calls block: use them at
/// start-up, at shutdown and in tests, never on an event loop.
///
/// A process of root starts PostgreSQL's programs as the user `postgres`. Where that user does not exist, it starts
/// them as `nobody`. If that user cannot enter the directory given to ``start(directory:durable:connections:)``, the
/// cluster is in `/var/tmp/sekisho-<hash>`; see ``dataDirectory``.
public final class PrivatePostgres: Sendable {
    /// The path of the cluster's data directory.
    public let dataDirectory: String
    /// The path of PostgreSQL's log. The log begins with this start of the server.
    public let logFile: String
    private let files: ClusterFiles
    private let server: ServerProcess
    private let isStopped = Atomic(false)

    /// Starts the server in `directory`, and waits at most 30 seconds until it accepts connections. Before the start,
    /// waits at most 15 seconds until the server of an earlier process has stopped, and creates the cluster if it does
    /// not exist.
    ///
    /// - Parameters:
    ///   - durable: `false` is faster and can lose data if the machine crashes; for tests.
    ///   - connections: how many connections the server accepts at the same time.
    /// - Throws: ``PrivatePostgresError``, and errors of the file system and of threads.
    public static func start(directory: String, durable: Bool = true, connections: Int = 200) throws -> PrivatePostgres
    {
        let user = try ServerUser()
        let files = try ClusterFiles(directory: directory, user: user)
        do {
            let programs = try Programs.postgresFolder()
            try removeStaleLock(files)
            if !files.isInitialized { try initialize(files, user, programs, durable: durable) }
            let command = try user.command(
                "\(programs)/postgres", settings(files, durable: durable, connections: connections), output: files.log)
            return PrivatePostgres(files, try waitUntilReady(ServerProcess(command), files))
        } catch {
            files.release()
            throw error
        }
    }

    private init(_ files: ClusterFiles, _ server: ServerProcess) {
        self.files = files
        self.server = server
        dataDirectory = files.data
        logFile = files.log
    }

    deinit { stop() }

    /// Whether the server's process exists.
    public var isRunning: Bool { server.isRunning }

    /// Stops the server with a fast shutdown, which disconnects clients; if the server does not stop, with stronger
    /// signals. Later calls do nothing.
    public func stop() {
        guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        server.end()
        files.release()
    }

    /// Returns a connection string for `database` as superuser.
    public func url(database: String = "postgres") -> String {
        files.url(database: database)
    }

    /// Waits until the server of an earlier process has stopped, then removes the lock file of that server.
    private static func removeStaleLock(_ files: ClusterFiles) throws(PrivatePostgresError) {
        guard wait(for: .seconds(15), until: { !files.isPostmasterAlive }) else {
            throw .alreadyRunning(directory: files.directory)
        }
        unlink("\(files.data)/postmaster.pid")
    }

    /// Creates the cluster in a temporary directory and renames it, so that an interrupted `initdb` leaves no partial
    /// cluster.
    private static func initialize(
        _ files: ClusterFiles, _ user: ServerUser, _ programs: String, durable: Bool
    ) throws {
        let unfinished = "\(files.data).new"
        if access(unfinished, F_OK) == 0 { try FileManager.default.removeItem(atPath: unfinished) }
        try user.makePrivateDirectory(unfinished)
        let locale = shim_has_locale("C.UTF-8") == 1 ? "C.UTF-8" : "C"
        var arguments = [
            "--pgdata=\(unfinished)", "--username=postgres", "--encoding=UTF8", "--locale=\(locale)",
            "--auth-local=trust", "--auth-host=reject", "--no-instructions",
        ]
        if !durable { arguments.append("--no-sync") }
        guard try user.command("\(programs)/initdb", arguments, output: files.log).run() == 0 else {
            throw PrivatePostgresError.failed(program: "initdb", log: files.logTail())
        }
        guard rename(unfinished, files.data) == 0 else { throw PrivatePostgresError.systemCallFailed(on: files.data) }
    }

    /// Settings for a small machine. The log has no `DETAIL` lines, because they quote data.
    private static func settings(_ files: ClusterFiles, durable: Bool, connections: Int) -> [String] {
        var settings = [
            "listen_addresses=", "port=5432", "unix_socket_directories=\(files.sockets)",
            "max_connections=\(connections)",
            "shared_buffers=32MB", "jit=off", "timezone=UTC", "log_timezone=UTC", "log_error_verbosity=terse",
        ]
        if !durable { settings += ["fsync=off", "synchronous_commit=off", "full_page_writes=off"] }
        return ["-D", files.data] + settings.flatMap { ["-c", $0] }
    }

    private static func waitUntilReady(
        _ server: ServerProcess, _ files: ClusterFiles
    ) throws(PrivatePostgresError) -> ServerProcess {
        let url = files.url(database: "postgres") + "&connect_timeout=2"
        let hasAnsweredOrEnded = wait(for: .seconds(30)) { !server.isRunning || PQping(url) == PQPING_OK }
        guard hasAnsweredOrEnded, server.isRunning else {
            server.end()
            throw .failed(program: "postgres", log: files.logTail())
        }
        return server
    }
}
