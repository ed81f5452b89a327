internal import IPAddresses
internal import Identity

/// The address of a request's client, also behind proxies that the operator trusts.
struct ClientAddress: Hashable {
    /// `nil` if the peer's address is not valid.
    let address: IPAddress?
    /// The networks that rate limits count by. Computed once per request, because each request needs them twice.
    let network: ClientNetwork

    /// Finds the rightmost address that is not a trusted proxy's. Each proxy appends its peer's address, so the client
    /// could have written everything to the left of that address.
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
        guard let address else { return ClientNetwork(prefixes: ["unknown"], knownNetworkPrefix: nil) }
        let prefixes = address.limitedNetworks.map(\.description)
        return ClientNetwork(prefixes: prefixes, knownNetworkPrefix: prefixes[1])
    }

    /// For logs: wide enough not to identify a person.
    var logPrefix: String { network.widest.prefix }

    /// Some proxies append a port to the address, and put brackets around an IPv6 address.
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
