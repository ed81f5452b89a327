internal import FoundationEssentials
internal import Glibc
internal import IPAddresses
internal import Telemetry

extension Config {
    /// The number of processor cores that are online.
    package static var coreCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    static func parse(level name: String) -> Log.Level? {
        Log.Level.allCases.first { "\($0)" == name }
    }

    /// - Returns: a number of event loops or threads; `nil` unless the text is an integer from 1 to 256.
    static func parse(count text: String) -> Int? {
        Int(text).flatMap { (1...256).contains($0) ? $0 : nil }
    }

    static func parse(networks text: String) -> [IPNetwork]? {
        let parts = text.split(separator: ",").map { $0.trimmingPrefix(while: { $0 == " " }) }
        let networks = parts.compactMap { IPNetwork(String($0)) }
        return networks.count == parts.count ? networks : nil
    }

    /// - Returns: the URL without a slash at the end; `nil` unless it has HTTPS (or HTTP and a loopback host) and no
    ///   path, query, fragment or user.
    package static func parse(publicURL text: String) -> String? {
        let trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let url = URL(string: trimmed), let host = url.host, !host.isEmpty, url.path.isEmpty,
            url.query == nil, url.fragment == nil, url.user == nil
        else { return nil }
        return isSafe(url) ? trimmed : nil
    }

    static func parse(domainAssociation text: String) -> String? {
        let isPrintable = text.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A || $0 == 0x0D }
        return isPrintable && (1...65_536).contains(text.utf8.count) ? text : nil
    }

    static func parse(breachedPasswordsURL text: String) -> String? {
        guard !text.isEmpty else { return text }
        guard text.utf8.count <= 1024, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let url = URL(string: text), url.host?.isEmpty == false, url.query == nil, url.fragment == nil,
            url.user == nil, isSafe(url)
        else { return nil }
        return text.hasSuffix("/") ? text : text + "/"
    }

    /// Whether the URL has HTTPS, or HTTP and a loopback host.
    private static func isSafe(_ url: URL) -> Bool {
        url.scheme == "https"
            || url.scheme == "http" && ["127.0.0.1", "localhost", "::1", "[::1]"].contains(url.host ?? "")
    }
}
