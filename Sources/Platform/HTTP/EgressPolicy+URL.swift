internal import CSystem
internal import Curl

extension EgressPolicy {
    /// - Throws: ``ClientFault/invalidURL``, ``ClientFault/destinationNotAllowed``.
    init(of request: ClientRequest) throws(ClientFault) {
        let url = ParsedURL(request.url, maximumLength: 8192, flags: CURLU_DISALLOW_USER)
        switch (url?.part(CURLUPART_SCHEME), request.destination) {
        case ("https", .fromProject(allowingPrivateAddresses: false)): self = .publicAddresses
        case ("https", _): self = .everywhere
        case ("http", .fromOperator): self = .loopback
        case ("http", .fromProject): throw .destinationNotAllowed
        default: throw .invalidURL
        }
    }
}
