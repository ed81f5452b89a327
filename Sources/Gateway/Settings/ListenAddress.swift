internal import IPAddresses

extension Config {
    /// A numeric address and a port to listen on.
    package struct ListenAddress: Sendable, CustomStringConvertible {
        package var host: String
        /// Further addresses with the same port; see ``Server``.
        let furtherHosts: [String]
        var port: UInt16

        package init(host: String, furtherHosts: [String] = [], port: UInt16) {
            self.host = host
            self.furtherHosts = furtherHosts
            self.port = port
        }

        package var hosts: [String] { [host] + furtherHosts }

        package var description: String {
            hosts.map { $0.contains(":") ? "[\($0)]:\(port)" : "\($0):\(port)" }
                .joined(separator: ", ")
        }
    }
}

extension Config.ListenAddress {
    /// Parses an address such as `127.0.0.1:8080` or `[::1]:8080`. Port 0 selects a free port.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard IPAddress(host) != nil else { return nil }
        self.init(host: host, port: port)
    }
}
