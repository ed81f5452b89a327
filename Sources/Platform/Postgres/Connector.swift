internal import CSystem
internal import EventLoop
internal import Synchronization

/// Why a connection failed. Contains no password.
struct ConnectFault: Error {
    let reason: String
}

/// Opens connections without blocking the event loop.
struct Connector: Sendable {
    private let loop: Loop
    private let connectionString: ConnectionString?
    private let configuration: Pool.Configuration
    private let lastTarget = LastTarget()

    /// Guards the position of the host that has accepted the latest session.
    private final class LastTarget: Sendable {
        let position = Mutex(0)
    }

    init(_ configuration: Pool.Configuration, loop: Loop) {
        self.loop = loop
        self.configuration = configuration
        connectionString = ConnectionString(configuration.url)
    }

    /// Opens a session with the first host that accepts it. Begins with the host that has accepted the latest session,
    /// so that a host that does not respond delays only the first one. Each host has an equal share of the deadline.
    /// Runs on the loop.
    ///
    /// - Parameters:
    ///   - isReader: whether the session is for a ``ReadConnection``.
    ///   - adopt: takes ownership of an established session, unless it throws.
    func connect<Session>(
        isReader: Bool = false, _ adopt: (OpaquePointer) throws -> Session
    ) async throws(ConnectFault) -> Session {
        guard let connectionString else { throw ConnectFault(reason: "the connection string is not valid") }
        let timePerTarget = configuration.connectDeadline / connectionString.targets.count
        var settings = connectionString.settings
        if configuration.setsStartupOptions { settings["options"] = options(settings["options"], isReader) }
        var reasons: [String] = []
        let targets = connectionString.targets
        let first = lastTarget.position.withLock { $0 }
        for position in targets.indices.map({ ($0 + first) % targets.count }) {
            let target = targets[position]
            let deadline = ContinuousClock.now + timePerTarget
            do throws(ConnectFault) {
                for address in try await addresses(of: target, until: deadline) {
                    do throws(ConnectFault) {
                        let session = try await connect(to: address, settings, until: deadline, adopt)
                        lastTarget.position.withLock { $0 = position }
                        return session
                    } catch {
                        reasons.append(error.reason)
                    }
                }
            } catch {
                reasons.append(error.reason)
            }
        }
        throw ConnectFault(reason: mask(connectionString.settings["password"], in: reasons.joined(separator: "; ")))
    }

    private func addresses(
        of target: Target, until deadline: ContinuousClock.Instant
    ) async throws(ConnectFault) -> [Target] {
        guard target.needsLookup, let host = target.host else { return [target] }
        let found = await NameLookup.addresses(of: host, on: loop, until: deadline)
        guard !found.isEmpty else { throw ConnectFault(reason: "no address found for \(host)") }
        return found.map { Target(host: host, address: $0, port: target.port) }
    }

    private func connect<Session>(
        to target: Target, _ settings: [String: String], until deadline: ContinuousClock.Instant,
        _ adopt: (OpaquePointer) throws -> Session
    ) async throws(ConnectFault) -> Session {
        guard let handle = start(target, settings) else { throw ConnectFault(reason: "out of memory") }
        do {
            PQsetNoticeProcessor(handle, { _, _ in }, nil)
            var next = PGRES_POLLING_WRITING
            while next != PGRES_POLLING_OK {
                guard PQstatus(handle) != CONNECTION_BAD, next != PGRES_POLLING_FAILED else {
                    throw ConnectFault(reason: oneLine(String(cString: PQerrorMessage(handle))))
                }
                let readiness: Loop.Readiness = next == PGRES_POLLING_READING ? .readable : .writable
                guard try await loop.waitForReadiness(readiness, of: PQsocket(handle), until: deadline) else {
                    throw ConnectFault(reason: "no response within the deadline")
                }
                next = PQconnectPoll(handle)
            }
            return try adopt(handle)
        } catch {
            PQfinish(handle)
            throw error as? ConnectFault ?? ConnectFault(reason: "\(error)")
        }
    }

    /// Returns the session's command-line options.
    ///
    /// - Parameter explicitOptions: the options of the connection string. They are last, so that they take precedence.
    private func options(_ explicitOptions: String?, _ isReader: Bool) -> String {
        let timeout = max(1, configuration.statementDeadline * 9 / 10 / .milliseconds(1))
        let readerSettings = isReader ? Self.readerSettings : nil
        return ["-c statement_timeout=\(timeout)", Self.plannerSettings, readerSettings, explicitOptions]
            .compactMap(\.self).joined(separator: " ")
    }

    /// Settings of the planner, for statements that select rows by key. A plan that reads a whole table or index would
    /// be chosen while the table is small or has no statistics, and would stay in use while the table grows. Nested
    /// loops with index scans read few rows at every size. A bitmap scan reads all rows of a key before it sorts them,
    /// although the index has them in the order that a LIMIT needs. `jit=off`: the settings raise the estimated cost
    /// of a plan without such a choice, so that the server would compile it.
    private static let plannerSettings =
        "-c enable_seqscan=off -c enable_bitmapscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off"

    /// Settings of a read connection. `force_generic_plan`: a plan for specific values is not better, and may be based
    /// on outdated statistics.
    private static let readerSettings = "-c plan_cache_mode=force_generic_plan"

    private func start(_ target: Target, _ settings: [String: String]) -> OpaquePointer? {
        var all = settings
        all["host"] = target.host
        all["hostaddr"] = target.address
        all["port"] = target.port
        all["client_encoding"] = "UTF8"
        all["application_name"] = configuration.applicationName
        all["gssencmode"] = settings["gssencmode"] ?? "disable"  // requesting Kerberos tickets can block
        let keywords = all.keys.map { strdup($0) }
        let values = all.values.map { strdup($0) }
        defer { for pointer in keywords + values { free(pointer) } }
        return PQconnectStartParams(
            keywords.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 0)
    }

    /// Returns `message` with `password` masked.
    private func mask(_ password: String?, in message: String) -> String {
        guard let password, !password.isEmpty else { return message }
        return message.split(separator: password, omittingEmptySubsequences: false).joined(separator: "***")
    }
}
