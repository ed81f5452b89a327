internal import IPAddresses
internal import Identity

/// The host a request comes from, seen through the proxies that the operator trusts.
struct ClientAddress: Hashable {
    /// `nil` if the peer has no address that can be read.
    let address: IPAddress?
    /// What fairness and rate limits count by. Made once for a request, since each request needs it twice.
    let network: ClientNetwork

    /// The rightmost address that is not a trusted proxy's. Each proxy appends the peer it saw, so whatever stands
    /// left of that address was written by the client itself.
    ///
    /// - Parameter forwardedFor: the values of `X-Forwarded-For`, in order.
    init(peer: String, forwardedFor: [String], trusted: [IPNetwork]) {
        var nearest = IPAddress(peer)
        var hops = forwardedFor.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        while let known = nearest, trusted.contains(where: { $0.contains(known) }),
            let hop = hops.popLast().flatMap(Self.address(of:))
        {
            nearest = hop
        }
        address = nearest
        network = Self.network(of: nearest)
    }

    private static func network(of address: IPAddress?) -> ClientNetwork {
        guard let address else { return ClientNetwork(prefixes: ["unknown"], place: nil) }
        let prefixes = address.limitedNetworks.map(\.description)
        return ClientNetwork(prefixes: prefixes, place: prefixes[1])
    }

    /// What a log may show: wide enough to name no person.
    var logPrefix: String { network.widest.prefix }

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
