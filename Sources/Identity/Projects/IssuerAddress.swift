internal import Encoding

/// The host and the path of an issuer, each in one spelling: `https://ID.example.com.:443/a/../b` and
/// `https://id.example.com/b` have equal addresses.
struct IssuerAddress: Hashable, Sendable {
    /// A host name of ASCII characters, or an IP address. In lower case, without port and user, and without dots at its
    /// end. (An internationalised domain is in A-labels.)
    let host: String
    /// The segments in lower case. Dot segments are resolved (RFC 3986 §5.2.4).
    let path: [String]
    let hasDotSegments: Bool

    /// - Parameter url: an https or http URL.
    /// - Returns: `nil` for other text, and if the host has an empty label or other characters.
    init?(_ url: String) {
        let text = url.lowercased()
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { return nil }
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { !"/\\?#".utf8.contains($0) }
        guard let host = Self.host(in: authority) else { return nil }
        self.host = host
        let segments = rest[authority.endIndex...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
            .split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
            .dropFirst().compactMap { String($0) }
        var resolved: [String] = []
        for segment in segments {
            switch segment.replacing("%2e", with: ".") {
            case ".": break
            case "..": _ = resolved.popLast()
            default: resolved.append(segment)
            }
        }
        path = resolved
        hasDotSegments = resolved.count < segments.count
    }

    /// Returns the host without user, port and dots at its end; `nil` if it is invalid.
    private static func host(in authority: Substring.UTF8View) -> String? {
        let withPort = authority.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false).last
        guard let withPort, let host = String(withPort) else { return nil }
        if host.beginsExactly(with: "["), let end = host.firstIndex(of: "]") {
            let address = host[...end]
            let isAddress = address.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
            return isAddress && isPort(host[address.endIndex...]) ? String(address) : nil
        }
        let name = host.prefix { $0 != ":" }
        let labels = name.utf8.reversed().drop { $0 == UInt8(ascii: ".") }.reversed()
            .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in !label.isEmpty && label.allSatisfy(isLabelCharacter) }
        guard isName, isPort(host[name.endIndex...]) else { return nil }
        return labels.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
    }

    /// Whether `text` is empty, or a colon and digits.
    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty || text.beginsExactly(with: ":") && text.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isLabelCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
