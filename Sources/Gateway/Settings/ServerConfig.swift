internal import HTTP
internal import IPAddresses
internal import Telemetry

extension Settings {
    static let connections = Setting(
        name: "SEKISHO_CONNECTIONS", fallback: "8192",
        meaning: "maximum number of open HTTP connections, 64 to 1000000; near this number, idle connections are closed"
    )
    static let connectionsPerAddress = Setting(
        name: "SEKISHO_CONNECTIONS_PER_ADDRESS", fallback: "256",
        meaning:
            "maximum number of connections of one IPv4 address or IPv6 /64, 1 to 1000000; 4 times as many for a /24 or /56, 16 times for a /48; loopback and SEKISHO_TRUSTED_PROXIES are exempt"
    )
    static let bodyMemory = Setting(
        name: "SEKISHO_BODY_MEMORY_MIB", fallback: "64",
        meaning:
            "maximum memory of all request bodies together in MiB, 32 to 65536; a request gets status 503 if its body needs more than a quarter of what is free"
    )

    static let server = [connections, connectionsPerAddress, bodyMemory]
}

/// The limits of the HTTP server.
package struct ServerConfig: Sendable {
    var connections: Int
    /// `nil`: no limit.
    var connectionsPerAddress: Int?
    var bodyMemoryMiB: Int

    package init(
        connections: Int, connectionsPerAddress: Int? = nil, bodyMemoryMiB: Int
    ) {
        self.connections = connections
        self.connectionsPerAddress = connectionsPerAddress
        self.bodyMemoryMiB = bodyMemoryMiB
    }

    /// Returns the limits for the server. Loopback and trusted proxies are exempt from the limit per address, because a
    /// proxy forwards the requests of many clients.
    func limits(exempting proxies: [IPNetwork]) -> Limits {
        Limits(
            bodyBudgetBytes: bodyMemoryMiB << 20, connections: connections,
            connectionsPerAddress: connectionsPerAddress,
            isExempt: { Limits.isLoopback($0) || proxies.contain($0) })
    }
}

extension SettingsReader {
    mutating func server() -> ServerConfig? {
        let connections = number(Settings.connections, in: 64...1_000_000)
        let connectionsPerAddress = number(Settings.connectionsPerAddress, in: 1...1_000_000)
        let bodyMemory = number(Settings.bodyMemory, in: 32...65_536)
        guard let connections, let connectionsPerAddress, let bodyMemory else { return nil }
        return ServerConfig(
            connections: connections, connectionsPerAddress: connectionsPerAddress, bodyMemoryMiB: bodyMemory)
    }
}

extension Metrics {
    /// Exports the number of log lines that were dropped.
    func export(_ log: Log) {
        counter(
            "sekisho_log_lines_dropped_total",
            help: "Log lines dropped, because the program that reads them was too slow or a write failed."
        ) {
            Double(log.droppedLines)
        }
    }

    /// Exports metrics of the server's connections and request bodies.
    func export(_ server: Server) {
        gauge("sekisho_connections", help: "HTTP connections open now.") { Double(server.connections) }
        counter(
            "sekisho_connections_rejected_total", help: "Connections rejected, by limit.",
            label: "limit"
        ) {
            [
                "address": Double(server.connectionsRejectedAtNetworkLimit),
                "total": Double(server.connectionsRejectedAtTotalLimit),
            ]
        }
        counter("sekisho_connections_closed_idle_total", help: "Idle connections closed to make room for new ones.") {
            Double(server.connectionsClosedIdle)
        }
        gauge("sekisho_body_bytes", help: "Bytes reserved for request bodies.") { Double(server.reservedBodyBytes) }
        counter("sekisho_bodies_rejected_total", help: "Requests rejected with 503 because of SEKISHO_BODY_MEMORY_MIB.")
        {
            Double(server.bodiesRejected)
        }
    }
}
