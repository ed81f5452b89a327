internal import CSystem
internal import FoundationEssentials
internal import Synchronization

/// A PostgreSQL server that this process owns: made on first use, kept between runs, ended with the process.
///
/// It listens on a Unix socket in a private directory only, and trusts whoever can reach that.
/// Everything here blocks: call it at start-up, at shutdown and in tests, never on an event loop.
///
/// When the process is root, the programs run as `postgres` or `nobody`; if that user cannot reach `directory`,
/// the cluster lives in `/var/tmp/sekisho-<hash>` instead, and ``dataDirectory`` tells.
public final class PrivatePostgres: Sendable {
    /// Where the cluster's files are.
    public let dataDirectory: String
    /// What PostgreSQL wrote since the last start.
    public let logFile: String
    private let files: ClusterFiles
    private let server: ServerProcess
    private let isStopped = Atomic(false)

    /// Starts the server on `directory` and waits until it answers, at most 30 seconds.
    ///
    /// - Parameter durable: `false` loses data when the machine crashes, and is faster: for tests.
    /// - Throws: ``PrivatePostgresError``, and what file system and threads throw.
    public static func start(directory: String, durable: Bool = true) throws -> PrivatePostgres {
        let user = try ServerUser()
        let files = try ClusterFiles(directory: directory, user: user)
        do {
            let programs = try Programs.postgresFolder()
            try clearTheWay(files)
            if !files.isInitialized { try initialize(files, user, programs, durable: durable) }
            let command = try user.command(
                "\(programs)/postgres", settings(files, durable: durable), output: files.log)
            return PrivatePostgres(files, try answering(ServerProcess(command), files))
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

    /// Whether the server's process lives.
    public var isRunning: Bool { server.isRunning }

    /// Ends the server: at once for its clients, orderly for its data. Later calls do nothing.
    public func stop() {
        guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        server.end()
        files.release()
    }

    /// A connection string for `database` as superuser.
    public func url(database: String = "postgres") -> String {
        files.url(database: database)
    }

    /// Waits for, then removes, what a dead owner left behind.
    private static func clearTheWay(_ files: ClusterFiles) throws(PrivatePostgresError) {
        guard wait(for: .seconds(15), until: { !files.haveLivingPostmaster }) else {
            throw .alreadyRunning(directory: files.directory)
        }
        unlink("\(files.data)/postmaster.pid")
    }

    /// Builds beside and renames, so that an interrupted `initdb` leaves nothing that looks like a cluster.
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
        guard rename(unfinished, files.data) == 0 else { throw PrivatePostgresError.system(files.data) }
    }

    /// Fit for a laptop, and quiet about data: no `DETAIL` lines in the log.
    private static func settings(_ files: ClusterFiles, durable: Bool) -> [String] {
        var settings = [
            "listen_addresses=", "port=5432", "unix_socket_directories=\(files.sockets)", "max_connections=200",
            "shared_buffers=32MB", "jit=off", "timezone=UTC", "log_timezone=UTC", "log_error_verbosity=terse",
        ]
        if !durable { settings += ["fsync=off", "synchronous_commit=off", "full_page_writes=off"] }
        return ["-D", files.data] + settings.flatMap { ["-c", $0] }
    }

    private static func answering(
        _ server: ServerProcess, _ files: ClusterFiles
    ) throws(PrivatePostgresError) -> ServerProcess {
        let url = files.url(database: "postgres") + "&connect_timeout=2"
        let hasAnswered = wait(for: .seconds(30)) { !server.isRunning || PQping(url) == PQPING_OK }
        guard hasAnswered, server.isRunning else {
            server.end()
            throw .failed(program: "postgres", log: files.logTail())
        }
        return server
    }
}
