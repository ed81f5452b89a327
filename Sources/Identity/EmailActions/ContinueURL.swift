internal import Encoding

/// The URL to which an action page returns the user: an absolute `http` or `https` URL without user info (RFC 3986
/// §3.2.1), whose host is authorized by the project.
public struct ContinueURL: Hashable, Sendable {
    public let text: String
    /// The host in lower case.
    public let host: String

    private static let lengthLimit = 2048

    /// Rejects URLs that browsers may parse differently than the gateway: with backslashes, spaces, non-ASCII
    /// characters or user info.
    public init(_ text: String, in realm: Realm) throws(ContinueURLRefusal) {
        guard text.isUnambiguousURL(byteLimit: Self.lengthLimit),
            let scheme = ["https://", "http://"].first(where: { text.lowercased().beginsExactly(with: $0) })
        else { throw .malformed }
        let authority = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
        guard let host = Self.host(of: authority) else { throw .malformed }
        self.text = text
        self.host = host
        guard realm.project.authorizes(host) else { throw .unauthorizedDomain }
    }

    /// - Returns: `nil` for an IPv6 address other than that of this machine.
    private static func host(of authority: Substring) -> String? {
        let loopback = "[::1]"
        let isLoopback = authority.utf8.starts(with: loopback.utf8)
        let host = isLoopback ? loopback : authority.prefix { $0 != ":" }.lowercased()
        guard isLoopback || (!host.isEmpty && host.utf8.allSatisfy(isHostByte)),
            isPort(authority.dropFirst(host.count))
        else { return nil }
        return host
    }

    /// Whether the text after a host is empty, or a colon and a port.
    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty || (text.wholeMatch(of: /:[0-9]+/) != nil && UInt16(text.dropFirst()) != nil)
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

/// Why a continue URL was rejected.
public enum ContinueURLRefusal: Refusal, Hashable {
    case malformed
    case unauthorizedDomain
}

extension ContinueURLRefusal {
    public var code: ErrorCode {
        switch self {
        case .malformed: .invalidContinueURI
        case .unauthorizedDomain: .unauthorizedDomain
        }
    }

    public var detail: String? { self == .unauthorizedDomain ? "Domain not allowlisted by project" : nil }
}
