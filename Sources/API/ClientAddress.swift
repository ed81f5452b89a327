internal import Identity

/// The host a request comes from, seen through the proxies that the operator trusts.
struct ClientAddress: Hashable {
    /// `nil` if the peer has no address that can be read.
    let address: IPAddress?

    /// The rightmost address that is not a trusted proxy's. Each proxy appends the peer it saw, so whatever stands
    /// left of that address was written by the client itself.
    ///
    /// - Parameter forwardedFor: the values of `X-Forwarded-For`, in order.
    init(peer: String, forwardedFor: [String], trusted: [Network]) {
        var nearest = IPAddress(peer)
        var hops = forwardedFor.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        while let known = nearest, trusted.contains(where: { $0.contains(known) }),
            let hop = hops.popLast().flatMap(Self.address(of:))
        {
            nearest = hop
        }
        address = nearest
    }

    /// What fairness counts by: an IPv4 address, or the /64 that one IPv6 subscriber owns.
    var prefix: AddressPrefix { AddressPrefix(text(v4: 32, v6: 64)) }

    /// What a log may show: wide enough to name no person.
    var logPrefix: String { text(v4: 24, v6: 48) }

    private func text(v4: Int, v6: Int) -> String {
        guard let address else { return "unknown" }
        let length = address.isIPv4 ? v4 : v6
        let network = address.network(length)
        return length == 32 ? "\(network)" : "\(network)/\(length)"
    }

    /// Some proxies write a port behind the address, and brackets around one of IPv6.
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
