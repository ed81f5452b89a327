internal import API
internal import Telemetry

extension Worker {
    /// Returns a worker that compares the clock of this machine with PostgreSQL's, and logs a warning if they differ.
    static func clock(_ readiness: ReadinessProbe, log: Log, metrics: Metrics) -> Worker {
        metrics.gauge(
            "sekisho_clock_lead_seconds", help: "Time by which the clock of this machine is ahead of PostgreSQL's."
        ) { (readiness.latest?.clockLead ?? .zero) / .seconds(1) }
        let warning = ThrottledWarning()
        return Worker(name: "clock", pause: { .seconds(10) }) {
            guard let difference = await readiness.findings().clockLead.flatMap(ClockDifference.init(lead:)),
                warning.mayWriteNow()
            else { return }
            log.warning("the clock of this machine is wrong, or PostgreSQL's is", ["clock": .string("\(difference)")])
        }
    }
}
