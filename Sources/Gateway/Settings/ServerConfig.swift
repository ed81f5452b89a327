internal import HTTP
internal import IPAddresses
internal import Telemetry

extension Settings {
    static let connections = Setting(
        name: "SEKISHO_CONNECTIONS", fallback: "8192",
        meaning: "HTTP connections open at one time, 64 to 1000000; when nearly all are used, idle ones are closed")
    static let connectionsPerAddress = Setting(
        name: "SEKISHO_CONNECTIONS_PER_ADDRESS", fallback: "256",
        meaning:
            "connections of one IPv4 address or IPv6 /64, 1 to 1000000; 4 times as many of a /24 or /56, 16 times of a /48"
    )
    static let bodyMemory = Setting(
        name: "SEKISHO_BODY_MEMORY_MIB", fallback: "64",
        meaning: "MiB of request bodies held at one time, 32 to 65536; more are answered 503")

    static let server = [connections, connectionsPerAddress, bodyMemory]
}

/// What HTTP clients may take up.
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

    /// Loopback and trusted proxies stand for many clients.
    func limits(exempting proxies: [IPNetwork]) -> Limits {
        Limits(
            heldBodyBytes: bodyMemoryMiB << 20, connections: connections, connectionsPerAddress: connectionsPerAddress,
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
    /// Shows what the server holds and what it has rejected.
    func show(_ server: Server) {
        gauge("sekisho_connections", help: "HTTP connections open now.") { Double(server.connections) }
        counter(
            "sekisho_connections_rejected_total", help: "Connections closed as soon as they were made, by limit.",
            label: "limit"
        ) {
            [
                "address": Double(server.connectionsRejectedByAddress),
                "total": Double(server.connectionsRejectedByTotal),
            ]
        }
        counter("sekisho_connections_closed_idle_total", help: "Idle connections closed to make room for new ones.") {
            Double(server.connectionsClosedIdle)
        }
        gauge("sekisho_body_bytes", help: "Bytes of request bodies held now.") { Double(server.heldBodyBytes) }
        counter("sekisho_bodies_rejected_total", help: "Requests answered 503 because too many bytes were held.") {
            Double(server.bodiesRejected)
        }
    }
}
