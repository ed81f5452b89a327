internal import CSystem
internal import Curl

/// One request with its libcurl handle and the response so far.
final class ClientExchange: Transfer {
    let id: UInt64
    let handle: Handle
    let deadline: Duration
    var continuation: CheckedContinuation<ClientResponse, any Error>?
    let fields: HeaderList
    let limits: ClientLimits
    private let maximumResponseBytes: Int
    private let expectsNoBody: Bool
    private var headBytes = 0
    private var headIsComplete = false
    private var body: [UInt8] = []
    private var isTooLarge = false
    private let cutsLongResponse: Bool
    private var isCut = false

    /// - Throws: ``ClientFault`` if the request is not valid, or if memory is exhausted.
    init(
        _ request: ClientRequest, id: UInt64, egress: EgressPolicy, limits: ClientLimits,
        certificateAuthorities: String?
    ) throws(ClientFault) {
        fields = try HeaderList(of: request)
        do {
            handle = try Handle(
                protocols: "http,https", egress: egress, deadline: request.deadline,
                certificateAuthorities: certificateAuthorities, maximumIdleTime: limits.maximumIdleTime)
        } catch {
            // The code of an error is never `CURLE_OK`, the only code without a `ClientFault`.
            throw ClientFault(error.code) ?? .overloaded
        }
        self.id = id
        self.limits = limits
        deadline = request.deadline
        maximumResponseBytes = request.maximumResponseBytes
        expectsNoBody = request.method == .head
        cutsLongResponse = request.cutsLongResponse
        setCallbacks()
        do {
            try setRequestOptions(request)
        } catch {
            throw ClientFault(error.code) ?? .overloaded
        }
    }

    func end(_ end: TransferEnd) {
        switch end {
        case .done(let code): finish(code)
        case .timedOut: fail(ClientFault.timedOut)
        case .cancelled: fail(CancellationError())
        case .notWatched(let error): fail(ClientFault.notWatched(error))
        case .closed: fail(ClientFault.closed)
        }
    }

    /// Resumes the caller.
    ///
    /// - Parameter code: libcurl's result.
    private func finish(_ code: CURLcode) {
        if isTooLarge { return fail(ClientFault.tooLarge) }
        if handle.isBlockedByEgressPolicy { return fail(ClientFault.destinationNotAllowed) }
        if !isCut, let fault = ClientFault(code) { return fail(fault) }
        // libcurl reports no error if the connection ends inside the head.
        guard headIsComplete else { return fail(ClientFault.connectionLost) }
        continuation?.resume(
            returning: ClientResponse(status: handle.status, headers: headers(), body: body))
        continuation = nil
    }

    private func fail(_ error: any Error) {
        continuation?.resume(throwing: error)
        continuation = nil
    }

    // MARK: Callbacks of libcurl

    /// Checks one line of a response's head.
    ///
    /// - Returns: whether to continue.
    func receiveHead(_ line: UnsafeRawBufferPointer) -> Bool {
        headBytes += line.count
        // A status line after a complete head begins the response that follows an interim response.
        if line.starts(with: "HTTP/".utf8) { headIsComplete = false }
        if line.allSatisfy({ $0 <= 0x20 }) { headIsComplete = true }
        isTooLarge = headBytes > limits.headBytes || announcesTooLargeBody(line)
        return !isTooLarge
    }

    /// Appends a piece of the response's body.
    ///
    /// - Returns: whether to continue.
    func receiveBody(_ piece: UnsafeRawBufferPointer) -> Bool {
        let room = maximumResponseBytes - body.count
        if cutsLongResponse, piece.count > room {
            body.append(contentsOf: piece.prefix(room))
            isCut = true
            return false
        }
        isTooLarge = piece.count > room
        if !isTooLarge { body.append(contentsOf: piece) }
        return !isTooLarge
    }

    // MARK: The response

    private func announcesTooLargeBody(_ line: UnsafeRawBufferPointer) -> Bool {
        let name = "content-length:"
        // A response to HEAD and a 304 have no body, whatever length they state.
        guard !cutsLongResponse, !expectsNoBody, handle.status != 304, line.count > name.utf8.count else {
            return false
        }
        // `| 0x20` converts ASCII letters to lower case.
        guard zip(name.utf8, line).allSatisfy({ $0 == $1 | 0x20 }) else { return false }
        let value = line.dropFirst(name.utf8.count).filter { $0 > 0x20 }
        return Int(String(decoding: value, as: UTF8.self)).map { $0 > maximumResponseBytes } ?? false
    }

    /// Excludes the fields of interim responses and trailers.
    private func headers() -> Headers {
        var headers = Headers()
        var last: UnsafeMutablePointer<curl_header>?
        while let field = curl_easy_nextheader(handle.pointer, UInt32(CURLH_HEADER), -1, last) {
            headers.add(String(cString: field.pointee.name), String(cString: field.pointee.value))
            last = field
        }
        return headers
    }
}
