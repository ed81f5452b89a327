internal import Encoding

/// The URL of an operator's server that the gateway calls: an event endpoint or a blocking function.
public struct CallbackURL: Hashable, Sendable {
    public static let byteLimit = 2048

    public let rawValue: String

    /// - Parameter allowsLoopback: whether `http` is accepted for hosts of this machine.
    /// - Returns: `nil` unless the text is an absolute https URL with a host, of at most ``byteLimit`` bytes of visible
    ///   ASCII, without user, fragment and backslash.
    public init?(_ text: String, allowsLoopback: Bool) {
        guard text.isVisibleASCII(1...Self.byteLimit), !text.utf8.contains(UInt8(ascii: "#")),
            !text.utf8.contains(UInt8(ascii: "\\")), let address = IssuerAddress(text), !Self.hasUser(text)
        else { return nil }
        guard text.beginsExactly(with: "https://") || allowsLoopback && Self.isLoopback(address.host) else {
            return nil
        }
        rawValue = text
    }

    /// - Parameter text: the ``rawValue`` of a URL that was stored.
    public init(stored text: String) {
        rawValue = text
    }

    /// The scheme and the host, with an ellipsis for the rest. Path and query can contain a token, which is often the
    /// only secret of the receiver.
    public var abbreviated: String {
        let parts = rawValue.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        return "\(parts.first ?? "")//\(parts.last?.prefix { $0 != "/" && $0 != "?" } ?? "")/…"
    }

    private static func hasUser(_ text: String) -> Bool {
        let authority = text.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
            .prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        return authority.contains(UInt8(ascii: "@"))
    }

    private static func isLoopback(_ host: String) -> Bool { ["localhost", "127.0.0.1", "[::1]"].contains(host) }
}
