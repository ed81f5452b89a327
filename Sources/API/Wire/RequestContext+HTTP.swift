internal import Encoding
internal import HTTP
internal import IPAddresses
internal import Identity

extension RequestContext {
    init(_ client: ClientNetwork, _ request: Request) {
        let headers = request.headers
        let emailLanguage = headers["X-Firebase-Locale"].flatMap { Language(tag: $0) }
        self.init(
            network: client, device: headers["User-Agent"].flatMap { Self.printable($0) },
            language: emailLanguage ?? Language(acceptLanguage: headers["Accept-Language"]),
            emailLanguage: emailLanguage,
            trace: RequestTrace(network: client.widest.prefix, requestID: request.id),
            isClientGone: { [presence = request.presence] in presence.isGone })
    }

    /// Returns the first ``deviceLengthLimit`` printable ASCII characters of a text.
    ///
    /// - Returns: `nil` if there are none.
    private static func printable(_ text: String) -> String? {
        let characters = text.utf8.lazy.filter { (0x20...0x7E).contains($0) }.prefix(Self.deviceLengthLimit)
        let printable = String(decoding: characters, as: UTF8.self)
        return printable.isEmpty ? nil : printable
    }
}

extension Language {
    /// - Parameter acceptLanguage: RFC 9110 §12.5.4. The supported language with the highest weight applies.
    init?(acceptLanguage: String?) {
        let requested = Self.ranked(acceptLanguage ?? "")
        guard let language = requested.lazy.compactMap({ Self(tag: $0) }).first else { return nil }
        self = language
    }

    /// Returns the tags by descending weight. Tags of equal weight are in the order of the header.
    private static func ranked(_ header: String) -> [String] {
        let ranges = header.prefix(1000).split(separator: ",").map { range in
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " } }
            let weight =
                parts.dropFirst().first { $0.beginsExactly(with: "q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            return (tag: parts.first ?? "", weight: weight)
        }
        return ranges.filter { $0.weight > 0 }.enumerated()
            .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }.map(\.element.tag)
    }
}

/// Determines the networks of a request's client, even behind trusted proxies.
extension ClientNetwork {
    /// Tries the peer's address first, and then the entries of `forwardedFor` from right to left. The first address
    /// that does not belong to a trusted proxy is the client's. Entries to the left of it are ignored: each proxy
    /// appends the address of its own peer, so the client could have written the entries before. If the next entry is
    /// missing or invalid, the address of the last trusted proxy counts as the client's.
    ///
    /// - Parameters:
    ///   - forwardedFor: the values of `X-Forwarded-For`, in order.
    ///   - trusted: the networks of the trusted proxies.
    init(peer: String, forwardedFor: [String], trusted: [IPNetwork]) {
        var nearest = IPAddress(peer)
        var hops = forwardedFor.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        while let known = nearest, trusted.contains(where: { $0.contains(known) }),
            let hop = hops.popLast().flatMap(Self.address(of:))
        {
            nearest = hop
        }
        // `nil` if the peer's address is invalid. The second prefix is the IPv4 /24 or the IPv6 /56.
        let prefixes = nearest?.rateLimitNetworks.map(\.description)
        self.init(
            prefixes: prefixes ?? ["unknown"], knownNetworkPrefix: prefixes?[1],
            address: nearest.map { Address(high: $0.high, low: $0.low) })
    }

    /// Parses an entry. Some proxies append a port to the address, and put brackets around an IPv6 address.
    private static func address(of hop: Substring) -> IPAddress? {
        var text = hop.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        if text.first == "[" {
            return text.firstIndex(of: "]").flatMap { IPAddress(text[text.index(after: text.startIndex)..<$0]) }
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return IPAddress(parts.count == 2 ? parts[0] : text)
    }
}
