internal import HTTP
internal import Telemetry

extension Endpoint {
    /// Returns 200 while the process runs.
    static let getHealth = monitoring("getHealth", "/healthz") { _ in .text(status: 200, "ok") }

    /// Returns whether the process should receive requests: 200 with its version, or 503 with the reasons.
    static let getReadiness = monitoring("getReadiness", "/readyz") { call in
        let readiness = await call.services.operations.readiness()
        let reasons = [
            readiness.isDraining ? "draining" : nil,
            readiness.databaseIsReachable ? nil : "database: not reachable",
            readiness.databaseIsReachable && !readiness.schemaIsCurrent ? "schema: not migrated" : nil,
        ].compactMap { $0 }
        return reasons.isEmpty
            ? .text(status: 200, "ok\nversion: \(Release.version)")
            : .text(status: 503, reasons.joined(separator: "\n"))
    }

    /// Returns the metrics in Prometheus text format 0.0.4.
    static let getMetrics = monitoring("getMetrics", "/metrics") { call in
        Response(
            status: 200, headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
            body: Array(call.pipeline.metrics.registry.render().utf8))
    }
}
