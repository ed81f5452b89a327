internal import HTTP
internal import Telemetry

extension Endpoint {
    /// Returns 200 while the process runs.
    static let getHealth = monitoring("getHealth", "/healthz") { _ in .text(status: 200, "ok") }

    /// Returns whether the process should receive requests: 200 with its version, or 503 with the reasons. A wrong
    /// clock is a note and not a reason: if PostgreSQL's clock is wrong, no gateway would be ready.
    static let getReadiness = monitoring("getReadiness", "/readyz") { call in
        let readiness = await call.services.operations.readiness()
        let reasons = [
            readiness.isDraining ? "draining" : nil,
            readiness.databaseIsReachable ? nil : "database: not reachable",
            readiness.databaseIsReachable && !readiness.schemaIsCurrent ? "schema: not migrated" : nil,
        ].compactMap { $0 }
        let lines = reasons.isEmpty ? ["ok", "version: \(Release.version)"] : reasons
        let clock = ClockDifference(lead: readiness.clockLead).map { "clock: \($0)" }
        let text = (lines + [clock].compactMap { $0 }).joined(separator: "\n")
        return .text(status: reasons.isEmpty ? 200 : 503, text)
    }

    /// Returns the metrics in Prometheus text format 0.0.4.
    static let getMetrics = monitoring("getMetrics", "/metrics") { call in
        Response(
            status: 200, headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
            body: Array(call.pipeline.metrics.registry.render().utf8))
    }
}
