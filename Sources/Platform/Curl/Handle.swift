public import CSystem

/// A libcurl easy handle with the settings that all outbound connections share: libcurl verifies certificates, ignores
/// proxy variables and uses no signals, and the ``EgressPolicy`` applies to each connection.
public final class Handle {
    public let pointer: UnsafeMutableRawPointer
    private let egress: EgressPolicy
    private var hasOpenedSocket = false
    private var hasRefusedAddress = false

    /// - Parameters:
    ///   - protocols: the allowed URL schemes, separated by commas.
    ///   - certificateAuthorities: a file of PEM certificates to trust instead of the system's.
    ///   - deadline: the time limit of a whole transfer. More than an hour counts as an hour.
    ///   - maximumIdleTime: how long an idle connection may be reused. Rounded down to seconds, at least 1 s.
    public init(
        protocols: String, egress: EgressPolicy, deadline: Duration, certificateAuthorities: String?,
        maximumIdleTime: Duration
    ) throws(CurlFault) {
        guard Self.libraryIsReady, let pointer = curl_easy_init() else { throw CurlFault(CURLE_OUT_OF_MEMORY) }
        self.pointer = pointer
        self.egress = egress
        try set(CURLOPT_PROTOCOLS_STR, protocols)
        try set(CURLOPT_PROXY, "")  // ignore the proxy variables of the environment
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_QUICK_EXIT, 1)  // otherwise cleanup waits for the resolver's thread
        try set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        if let certificateAuthorities { try set(CURLOPT_CAINFO, certificateAuthorities) }
        // No directory of certificates: libcurl would read all its files for every connection. It caches a single file.
        try set(CURLOPT_CAPATH, nil)
        try set(CURLOPT_MAXAGE_CONN, max(1, Int(maximumIdleTime.components.seconds)))
        // There is no separate limit for connecting, because libcurl would divide it among the addresses of a host. The
        // deadline limits the connection attempts too. `Transfers` also enforces the deadline, with its own timer.
        let (seconds, attoseconds) = min(deadline, .seconds(3600)).components
        try set(CURLOPT_TIMEOUT_MS, max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)))
        shim_curl_set_socket_opener(pointer, Unmanaged.passUnretained(self).toOpaque()) { context, _, address in
            guard let context, let address else { return CURL_SOCKET_BAD }
            return Unmanaged<Handle>.fromOpaque(context).takeUnretainedValue().openSocket(for: address)
        }
    }

    deinit {
        curl_easy_cleanup(pointer)
    }

    /// Whether libcurl is initialised. Swift initialises the property once, on the thread that first reads it. libcurl
    /// allows `curl_global_init` on any thread.
    static let libraryIsReady = curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK

    /// Whether no connection was made because the ``EgressPolicy`` allows none of the addresses.
    public var isBlockedByEgressPolicy: Bool { hasRefusedAddress && !hasOpenedSocket }

    /// The status code of the response; 0 if there was none.
    public var status: Int { shim_curl_status(pointer) }

    public func set(_ option: CURLoption, _ number: Int) throws(CurlFault) {
        try check(shim_curl_set_number(pointer, option, number))
    }

    public func set(_ option: CURLoption, _ text: String?) throws(CurlFault) {
        try check(shim_curl_set_text(pointer, option, text))
    }

    /// Throws unless `code` is `CURLE_OK`.
    public func check(_ code: CURLcode) throws(CurlFault) {
        guard code == CURLE_OK else { throw CurlFault(code) }
    }

    /// - Returns: a socket for the address; `CURL_SOCKET_BAD` if the policy does not allow the address, or if no socket
    ///   can be created. libcurl then tries the next address, if any.
    private func openSocket(for address: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
        guard egress.allows(shim_curl_address(address)) else {
            hasRefusedAddress = true
            return CURL_SOCKET_BAD
        }
        hasOpenedSocket = true
        let address = address.pointee
        return socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
    }
}
