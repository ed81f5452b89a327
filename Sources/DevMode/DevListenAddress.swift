package import Gateway
internal import IPAddresses

extension Config.ListenAddress {
    /// Listens on both loopback addresses, and on `address`. An unspecified address, which includes loopback, replaces
    /// the loopback address of its family.
    ///
    /// - Parameter address: numeric; `nil` for loopback alone.
    /// - Returns: `nil` if `address` is not a numeric address.
    package init?(besidesLoopback address: String?, port: UInt16) {
        let loopback = ["127.0.0.1", "::1"]
        guard let address else {
            self.init(host: loopback[0], furtherHosts: [loopback[1]], port: port)
            return
        }
        guard let parsed = IPAddress(address) else { return nil }
        switch parsed {
        case IPAddress("::"): self.init(host: address, port: port)
        case IPAddress("0.0.0.0"): self.init(host: address, furtherHosts: [loopback[1]], port: port)
        case let parsed where loopback.contains { IPAddress($0) == parsed }:
            self.init(besidesLoopback: nil, port: port)
        default: self.init(host: loopback[0], furtherHosts: [loopback[1], address], port: port)
        }
    }

    /// Whether every address is a loopback address of this machine.
    package var isLoopback: Bool { hosts.allSatisfy { IPAddress($0)?.isLoopback == true } }
}
