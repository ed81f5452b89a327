public import CSystem

/// One of libcurl's easy handles, with what holds for every outside call: certificates are verified, the environment is
/// not asked, no signal is used, and connections are made within a ``EgressPolicy`` only.
public final class Handle {
    public let pointer: UnsafeMutableRawPointer
    private let reach: EgressPolicy
    private var hasOpenedSocket = false
    private var hasRefusedAddress = false

    /// - Parameters:
    ///   - protocols: URL schemes separated by commas.
    ///   - certificateAuthorities: a file of PEM certificates to believe instead of the system's.
    ///   - idleAge: a kept connection is not used again after this, to the second.
    public init(
        protocols: String, reach: EgressPolicy, deadline: Duration, certificateAuthorities: String?, idleAge: Duration
    ) throws(CurlFault) {
        guard Self.libraryIsReady, let pointer = curl_easy_init() else { throw CurlFault(CURLE_OUT_OF_MEMORY) }
        self.pointer = pointer
        self.reach = reach
        try set(CURLOPT_PROTOCOLS_STR, protocols)
        try set(CURLOPT_PROXY, "")  // not even the environment's
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_QUICK_EXIT, 1)  // or giving up would wait for the resolver's thread
        try set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        if let certificateAuthorities { try set(CURLOPT_CAINFO, certificateAuthorities) }
        // With a folder of certificates the library reads all of them for every connection; the file alone it keeps.
        try set(CURLOPT_CAPATH, nil)
        try set(CURLOPT_MAXAGE_CONN, max(1, Int(idleAge.components.seconds)))
        // Ours ends the wait; the library's own shares the time among a host's addresses.
        let (seconds, attoseconds) = min(deadline, .seconds(3600)).components
        try set(CURLOPT_TIMEOUT_MS, max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)))
        shim_curl_gate_sockets(pointer, Unmanaged.passUnretained(self).toOpaque()) { context, _, address in
            guard let context, let address else { return CURL_SOCKET_BAD }
            return Unmanaged<Handle>.fromOpaque(context).takeUnretainedValue().openSocket(for: address)
        }
    }

    deinit {
        curl_easy_cleanup(pointer)
    }

    /// The library allows this on any thread, and here it happens at most once.
    static let libraryIsReady = curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK

    /// There was no connection, because no address was within reach.
    public var isOutOfReach: Bool { hasRefusedAddress && !hasOpenedSocket }

    /// Of the answer, in the protocol's own numbers; 0 if there was none.
    public var status: Int { shim_curl_status(pointer) }

    public func set(_ option: CURLoption, _ number: Int) throws(CurlFault) {
        try check(shim_curl_set_number(pointer, option, number))
    }

    public func set(_ option: CURLoption, _ text: String?) throws(CurlFault) {
        try check(shim_curl_set_text(pointer, option, text))
    }

    public func check(_ code: CURLcode) throws(CurlFault) {
        guard code == CURLE_OK else { throw CurlFault(code) }
    }

    /// - Returns: a socket to connect to that address, or `CURL_SOCKET_BAD`: the library then goes on to the next
    ///   address, if any.
    private func openSocket(for address: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
        guard reach.contains(shim_curl_address(address)) else {
            hasRefusedAddress = true
            return CURL_SOCKET_BAD
        }
        hasOpenedSocket = true
        let address = address.pointee
        return socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
    }
}
