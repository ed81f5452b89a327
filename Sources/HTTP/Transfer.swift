internal import CSystem

/// One exchange: libcurl's handle for it, and what has come back so far. Must not die while the library has it.
final class Transfer {
    let id: UInt64
    let handle: UnsafeMutableRawPointer
    let deadline: Duration
    var continuation: CheckedContinuation<ClientResponse, any Error>?
    let fields: HeaderList
    private let reach: Reach
    let limits: ClientLimits
    private let maximumLength: Int
    private let expectsNoBody: Bool
    private var headBytes = 0
    private var headIsWhole = false
    private var body: [UInt8] = []
    private var hasOpenedSocket = false
    private var hasRefusedAddress = false
    private var isTooLarge = false

    /// - Throws: ``ClientFault``, if the request cannot be sent as it is.
    init(
        _ request: ClientRequest, id: UInt64, reach: Reach, limits: ClientLimits, certificateAuthorities: String?
    ) throws(ClientFault) {
        fields = try HeaderList(of: request)
        guard let handle = curl_easy_init() else { throw .overloaded }
        self.id = id
        self.handle = handle
        self.reach = reach
        self.limits = limits
        deadline = request.deadline
        maximumLength = request.maximumLength
        expectsNoBody = request.method == .head
        try prepareTransport(certificateAuthorities)
        try prepare(request)
    }

    deinit {
        curl_easy_cleanup(handle)
    }

    /// Ends the wait of whoever asked.
    ///
    /// - Parameter code: what the library says of the whole.
    func finish(_ code: CURLcode) {
        if isTooLarge { return fail(ClientFault.tooLarge) }
        if hasRefusedAddress, !hasOpenedSocket { return fail(ClientFault.destinationNotAllowed) }
        if let fault = ClientFault(code) { return fail(fault) }
        guard headIsWhole else { return fail(ClientFault.connectionLost) }  // of which the library makes nothing
        continuation?.resume(
            returning: ClientResponse(status: shim_curl_status(handle), headers: headers(), body: body))
        continuation = nil
    }

    func fail(_ error: any Error) {
        continuation?.resume(throwing: error)
        continuation = nil
    }

    // MARK: Told by the library

    /// - Returns: whether to go on.
    func receiveHead(_ line: UnsafeRawBufferPointer) -> Bool {
        headBytes += line.count
        if line.starts(with: "HTTP/".utf8) { headIsWhole = false }
        if line.allSatisfy({ $0 <= 0x20 }) { headIsWhole = true }
        isTooLarge = headBytes > limits.headBytes || announcesTooMuch(line)
        return !isTooLarge
    }

    /// - Returns: whether to go on.
    func receiveBody(_ piece: UnsafeRawBufferPointer) -> Bool {
        isTooLarge = piece.count > maximumLength - body.count
        if !isTooLarge { body.append(contentsOf: piece) }
        return !isTooLarge
    }

    /// - Returns: a socket to connect to that address, or `CURL_SOCKET_BAD`: the library then goes on to the next address, if any.
    func openSocket(for address: UnsafeMutablePointer<curl_sockaddr>) -> Int32 {
        guard reach.contains(shim_curl_address(address)) else {
            hasRefusedAddress = true
            return CURL_SOCKET_BAD
        }
        hasOpenedSocket = true
        let address = address.pointee
        return socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
    }

    // MARK: The answer

    private func announcesTooMuch(_ line: UnsafeRawBufferPointer) -> Bool {
        let name = "content-length:"
        guard !expectsNoBody, shim_curl_status(handle) != 304, line.count > name.utf8.count else { return false }
        guard zip(name.utf8, line).allSatisfy({ $0 == $1 | 0x20 }) else { return false }
        let value = line.dropFirst(name.utf8.count).filter { $0 > 0x20 }
        return Int(String(decoding: value, as: UTF8.self)).map { $0 > maximumLength } ?? false
    }

    /// Without those of interim answers and trailers.
    private func headers() -> Headers {
        var headers = Headers()
        var last: UnsafeMutablePointer<curl_header>?
        while let field = curl_easy_nextheader(handle, UInt32(CURLH_HEADER), -1, last) {
            headers.add(String(cString: field.pointee.name), String(cString: field.pointee.value))
            last = field
        }
        return headers
    }
}
