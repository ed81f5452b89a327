internal import CSystem
internal import IPAddresses

/// A server to connect to: one host of a connection string, or one of the addresses that the host's name resolves to.
struct Target: Sendable {
    var host: String?
    var address: String?
    var port: String?

    /// Whether the host is a name without an address. It must be resolved before libpq gets it, because libpq would
    /// block the loop.
    var needsLookup: Bool {
        guard let host, address == nil, !host.isEmpty, !host.hasPrefix("/"), !host.hasPrefix("@") else { return false }
        return IPAddress(host) == nil
    }
}

/// A parsed connection string.
struct ConnectionString: Sendable {
    /// The settings except host, address and port.
    let settings: [String: String]
    let targets: [Target]

    /// - Returns: `nil` unless libpq can parse the string and its hosts and ports are valid. No reason is reported,
    ///   because the reason could quote a password that contains `@` or `/`.
    init?(_ text: String) {
        guard let options = PQconninfoParse(text, nil) else { return nil }
        defer { PQconninfoFree(options) }
        var settings: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { settings[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        func list(_ name: String) -> [String] {
            settings.removeValue(forKey: name)?.split(separator: ",", omittingEmptySubsequences: false)
                .map(String.init) ?? []
        }
        let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        let count = max(1, hosts.count, addresses.count)
        guard ports.count <= 1 || ports.count == count, ports.allSatisfy(isPort), hosts.allSatisfy(isHost),
            hosts.isEmpty || hosts.count == count, addresses.isEmpty || addresses.count == count
        else { return nil }
        self.settings = settings
        targets = (0..<count).map { index in
            Target(
                host: hosts.isEmpty ? nil : hosts[index], address: addresses.isEmpty ? nil : addresses[index],
                port: ports.isEmpty ? nil : ports[ports.count == 1 ? 0 : index])
        }
    }
}

/// An empty port means the default.
private func isPort(_ text: String) -> Bool { text.isEmpty || UInt16(text) != nil }

/// Whether a text is a directory of sockets (`/`), an abstract socket (`@`), a name or a numeric address.
private func isHost(_ text: String) -> Bool {
    text.hasPrefix("/") || text.hasPrefix("@")
        || text.utf8.allSatisfy { byte in
            byte >= 0x80 || UnicodeScalar(byte).properties.isAlphabetic || (0x30...0x39).contains(byte)
                || ":-._".utf8.contains(byte)
        }
}
