internal import API
internal import EventLoop
internal import Gateway
internal import Glibc
internal import Identity
internal import Postgres
internal import Providers
internal import Storage
internal import Telemetry

extension Command {
    static let serve = Command(
        words: ["serve"],
        summary: "Serve requests in production",
        details: [
            "All settings come from the environment; Deploy/sekisho.env.example lists the variables. Run `sekisho migrate` first.",
            "On SIGTERM or SIGINT, the gateway first tells load balancers and clients to leave: for SEKISHO_DRAIN_DELAY_SECONDS, `/readyz` answers 503 and every response closes its connection. A second signal ends this delay. Then the gateway accepts no new connections, waits at most SEKISHO_DRAIN_SECONDS for the running requests and email deliveries, and exits with status 0.",
        ]
    ) { _ in
        var reader = SettingsReader.live()
        let (config, publicURL) = try Config.read(from: &reader)
        let log = Log(level: config.logLevel, descriptor: STDOUT_FILENO)
        let isDatabaseClaimed = try config.claimDatabase(log)
        let gateway = try RunningGateway(config, log: log, mode: .serve(at: publicURL))
        defer { log.flush(within: .seconds(2)) }
        log.info(
            "listening",
            [
                "address": .string(config.listen.host), "port": .int(Int(gateway.port)),
                "version": .string(Release.version),
            ])
        if let address = config.operationsListen, let port = gateway.monitoringPort {
            log.info("listening for monitoring", ["address": .string(address.host), "port": .int(Int(port))])
        }
        if isDatabaseClaimed { gateway.startEmailDelivery() } else { gateway.claimDatabaseLater(config, log) }
        // The start is complete, so memory pages that only the start needed can be released.
        ProgramMemory.release()
        Signals.waitForTermination()
        log.info("draining", [:])
        gateway.announceShutdown()
        Signals.waitForTermination(atMost: config.drainDelay)
        let cutOff = try gateway.drain(within: config.drainTimeout)
        log.info("stopped", ["requestsCutOff": .int(cutOff)])
    }
}

extension Config {
    /// Marks a new database as one that `serve` uses with this master key, or checks the mark of an existing database,
    /// before requests are served from it. See ``Canary``.
    ///
    /// - Returns: `false` if the database is unreachable or not migrated yet.
    /// - Throws: ``Failure`` if the database belongs to another mode, another master key or a pre-release version.
    fileprivate func claimDatabase(_ log: Log) throws -> Bool {
        do {
            try Administration.run(on: database) { try await claimAndUpdateGracePeriods($0.pool, log) }
            return true
        } catch let failure as Failure {
            throw failure
        } catch {
            log.warning("database not ready", ["reason": .string(Failure(explaining: error).message)])
            return false
        }
    }

    fileprivate func claimAndUpdateGracePeriods(_ pool: Pool, _ log: Log) async throws {
        guard try await InstallationStore(pool: pool).tableExists() else { throw NotMigrated() }
        do {
            _ = try await Schema.status(of: pool)
        } catch let error as PreReleaseDatabase {
            throw Failure(message: error.description)
        }
        try await boundConnections(pool, log)
        try await Canary.markOrCheckDatabase(pool, for: .serve, under: masterKeys, at: WallClock.live.now())
        try await updateGracePeriods(pool, log)
    }

    /// Lowers the default number of connections to what PostgreSQL allows. Logs a warning if a configured number is too
    /// high. A connection pooler has limits of its own.
    private func boundConnections(_ pool: Pool, _ log: Log) async throws {
        guard let budget = database.budget, database.setsStartupOptions else { return }
        let capacity = try await ConnectionCapacity(of: pool)
        if budget.isDefault { budget.lower(to: capacity.perGateway) }
        guard budget.connections > capacity.perGateway else { return }
        log.warning(
            "PostgreSQL allows too few connections for two gateways, as during a restart",
            ["connections": .int(budget.connections), "allowed": .int(capacity.connections)])
    }

    /// Updates the grace periods in which apps that violate App Review guideline 4.8 are tolerated. Logs each of these
    /// apps with the end of its grace period, which can be in the past.
    private func updateGracePeriods(_ pool: Pool, _ log: Log) async throws {
        for violation in try await GracePeriodStore(pool: pool, supporting: .live).update(at: WallClock.live.now()) {
            log.warning(
                "an app violates App Review guideline 4.8",
                [
                    "project": .string(violation.project.rawValue), "app": .string(violation.app.rawValue),
                    "toleratedUntil": .string(violation.graceEndsAt.iso8601),
                ])
        }
    }
}

extension RunningGateway {
    /// Tries to claim the database once per second until it is ready, then starts the delivery of emails. Until then,
    /// requests that need the database get status 503. Logs the failures ever less often. Ends the process if the
    /// database belongs to another mode, another master key or a pre-release version.
    fileprivate func claimDatabaseLater(_ config: Config, _ log: Log) {
        Task(executorPreference: loop) { [self, loop, pool] in
            var failures = FailureStreak()
            while true {
                try await loop.sleep(for: .seconds(1))
                do {
                    try await config.claimAndUpdateGracePeriods(pool, log)
                    return startEmailDelivery()
                } catch let failure as Failure {
                    log.error("database rejected", ["reason": .string(failure.message)])
                    log.flush(within: .seconds(2))
                    exit(1)
                } catch {
                    let reason = Failure(explaining: error).message
                    if failures.mustLog(reason) { log.warning("database not ready", ["reason": .string(reason)]) }
                }
            }
        }
    }
}

private struct NotMigrated: Error, CustomStringConvertible {
    let description = "the database is not migrated: run `sekisho migrate`"
}
