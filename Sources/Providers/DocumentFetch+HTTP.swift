public import HTTP

extension DocumentFetch {
    /// Fetches documents over the network.
    ///
    /// - Parameter allowsPrivate: configured documents may be at private addresses and, on this machine, without TLS.
    public static func http(_ client: HTTP.Client, allowsPrivate: Bool = false) -> DocumentFetch {
        DocumentFetch { address in
            let request = ClientRequest(
                .get, address.url, headers: ["Accept": "application/json"], deadline: deadline,
                maximumLength: maximumLength,
                destination: address.isConfigured && !allowsPrivate ? .configured(allowingPrivate: false) : .anywhere)
            let answer = try await client.send(request)
            guard answer.status == 200 else { throw UnexpectedStatus(status: answer.status) }
            return (answer.body, answer.headers.freshness)
        }
    }
}

/// The response is not a document.
struct UnexpectedStatus: Error, CustomStringConvertible {
    let status: Int

    var description: String { "the response has status \(status)" }
}
