package import Crypto
internal import Encoding
internal import EventLoop
internal import HTTP
package import Identity
internal import Postgres
internal import Providers
internal import Storage
internal import Synchronization
internal import Telemetry

/// Registers and tests the streams of Google's security event tokens.
package struct GoogleSignalStreams: Sendable {
    /// How often a stream is tested.
    static let testInterval: Duration = .seconds(86_400)
    /// The number of consecutive tests that may fail to arrive without an alarm.
    static let toleratedMisses = 1

    private let store: GoogleSignalStreamStore
    private let masterKeys: MasterKeys
    private let base: String
    private let clock: WallClock
    private let send: @Sendable (ClientRequest) async throws -> ClientResponse

    init(
        on pool: Pool, under masterKeys: MasterKeys, at base: String = GoogleSignalStream.liveURL, clock: WallClock,
        send: @escaping @Sendable (ClientRequest) async throws -> ClientResponse
    ) {
        store = GoogleSignalStreamStore(pool: pool)
        self.masterKeys = masterKeys
        self.base = base
        self.clock = clock
        self.send = send
    }

    /// The row that the ciphertext of a key is bound to.
    static func context(of project: ID<Project>) -> String { "google_signal_stream/\(project)/service_account" }

    /// Makes Google send events to `url`, and stores the key.
    package func register(
        _ url: String, withKey json: [UInt8], by actor: AuditActor, of project: ID<Project>
    ) async throws {
        let account = try GoogleServiceAccount(json: json)
        try await stream(as: account).register(url)
        let sealed = try SealedBox(keys: masterKeys).seal(json, context: Self.context(of: project))
        try await store.save(sealed, url: url, by: actor, at: clock.now(), of: project)
    }

    package func unregister(by actor: AuditActor, of project: ID<Project>) async throws {
        try await stream(of: try await registration(of: project)).unregister()
        _ = try await store.remove(of: project, by: actor, at: clock.now())
    }

    /// Requests a test event, which arrives within minutes.
    package func test(_ project: ID<Project>) async throws {
        let registration = try await registration(of: project)
        let state = UUIDText.text(Random.bytes(16))
        try await store.beginTest(state, at: clock.now(), of: project)
        try await stream(of: registration).verify(state: state)
    }

    /// The state of the stream at Google and in the gateway.
    package struct Status: Sendable {
        package let url: String
        package let urlAtGoogle: String?
        package let status: String
        package let requestedAt: Instant?
        package let verifiedAt: Instant?
        package let misses: Int
    }

    package func status(of project: ID<Project>) async throws -> Status {
        let stored = try await registration(of: project)
        let state = try await stream(of: stored).state()
        return Status(
            url: stored.url, urlAtGoogle: state.url, status: state.status, requestedAt: stored.requestedAt,
            verifiedAt: stored.verifiedAt, misses: stored.misses)
    }

    /// Tests the streams whose latest test is more than a day old.
    ///
    /// - Returns: for each project, the number of consecutive tests that did not arrive.
    func testDue(_ report: @Sendable (ID<Project>, any Error) -> Void) async throws -> [ID<Project>: Int] {
        let now = clock.now()
        let due = try await store.claimTests(
            before: now - Self.testInterval, newState: { UUIDText.text(Random.bytes(16)) }, at: now)
        for (stored, state) in due {
            do {
                try await stream(of: stored).verify(state: state)
            } catch {
                report(stored.project, error)
            }
        }
        return Dictionary(uniqueKeysWithValues: try await store.all().map { ($0.project, $0.misses) })
    }

    private func registration(of project: ID<Project>) async throws -> GoogleSignalStreamStore.Stored {
        guard let stored = try await store.stream(of: project) else {
            throw Failure(message: "the project \(project) has no stream: run `sekisho signals google register` first")
        }
        return stored
    }

    private func stream(of stored: GoogleSignalStreamStore.Stored) throws -> GoogleSignalStream {
        let json = try SealedBox(keys: masterKeys).open(
            stored.serviceAccount, context: Self.context(of: stored.project))
        return stream(as: try GoogleServiceAccount(json: json))
    }

    private func stream(as account: GoogleServiceAccount) -> GoogleSignalStream {
        GoogleSignalStream(as: account, at: base, clock: clock, send: send)
    }
}

extension Administration {
    /// - Parameter simulator: the URL of a simulated Google; `nil` for Google itself.
    package func withGoogleSignalStreams(
        at simulator: String?, under masterKeys: MasterKeys, _ body: (GoogleSignalStreams) async throws -> Void
    ) async throws {
        let client = try HTTP.Client(loop: pool.loop)
        let streams = GoogleSignalStreams(
            on: pool, under: masterKeys, at: simulator ?? GoogleSignalStream.liveURL, clock: clock,
            send: client.send(_:))
        try await perform {
            do {
                try await body(streams)
            } catch let failure as GoogleSignalStreamFailure {
                throw Failure(message: failure.description)
            } catch let invalid as GoogleServiceAccount.Invalid {
                throw Failure(message: "the file is \(invalid.description)")
            } catch let fault as ClientFault {
                throw Failure(message: "Google cannot be reached: \(fault)")
            }
        } finally: {
            await client.close()
        }
    }
}

extension Worker {
    /// Returns a worker that tests each stream once a day, and reports streams whose tests do not arrive.
    static func googleSignals(_ streams: GoogleSignalStreams, log: Log, metrics: Metrics) -> Worker {
        let misses = GoogleSignalMisses()
        metrics.gauge(
            "sekisho_google_signal_streams_silent",
            help: "Projects for which two or more daily test events of Google in a row did not arrive."
        ) { misses.silentCount }
        return Worker(name: "google signals", pause: { .seconds(.random(in: 600...1200)) }) {
            let found = try await streams.testDue { project, error in
                log.warning(
                    "test event could not be requested from Google: the gateway tries again tomorrow",
                    ["project": .string(project.rawValue), "cause": .string("\(error)")])
            }
            for project in misses.update(found) {
                log.error(
                    "Google's security events do not arrive: check the registration",
                    ["project": .string(project.rawValue)])
            }
        }
    }
}

/// The missed tests by project, as of the latest run.
private final class GoogleSignalMisses: Sendable {
    private let byProject = Mutex<[ID<Project>: Int]>([:])

    var silentCount: Double {
        byProject.withLock { Double($0.values.count { $0 > GoogleSignalStreams.toleratedMisses }) }
    }

    /// - Returns: the projects that have become silent.
    func update(_ found: [ID<Project>: Int]) -> [ID<Project>] {
        byProject.withLock { former in
            defer { former = found }
            return found.filter { project, misses in
                misses > GoogleSignalStreams.toleratedMisses
                    && former[project, default: 0] <= GoogleSignalStreams.toleratedMisses
            }.map(\.key)
        }
    }
}
