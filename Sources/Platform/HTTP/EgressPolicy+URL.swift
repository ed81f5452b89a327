internal import CSystem
internal import Curl

extension EgressPolicy {
    /// - Throws: ``ClientFault/invalidURL``, ``ClientFault/destinationNotAllowed``.
    init(of request: ClientRequest) throws(ClientFault) {
        switch (try Self.scheme(of: request.url), request.destination) {
        case ("https", .configured(allowingPrivate: false)): self = .publicAddresses
        case ("https", _): self = .everywhere
        case ("http", .operatorChosen): self = .loopback
        case ("http", .configured): throw .destinationNotAllowed
        default: throw .invalidURL
        }
    }

    /// Parses the URL with libcurl, so that the check and the request interpret it in the same way.
    private static func scheme(of url: String) throws(ClientFault) -> String {
        guard url.utf8.count <= 8192, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let parsed = curl_url()
        else { throw .invalidURL }
        defer { curl_url_cleanup(parsed) }
        var scheme: UnsafeMutablePointer<CChar>?
        guard
            curl_url_set(parsed, CURLUPART_URL, url, UInt32(CURLU_DISALLOW_USER)) == CURLUE_OK,
            curl_url_get(parsed, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK, let scheme
        else { throw .invalidURL }
        defer { curl_free(scheme) }
        return String(cString: scheme)
    }
}
