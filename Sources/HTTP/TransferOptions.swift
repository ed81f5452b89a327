internal import CSystem

extension Transfer {
    /// What holds for every request.
    func prepareTransport(_ certificateAuthorities: String?) throws(ClientFault) {
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_PROXY, "")  // not even the environment's
        try set(CURLOPT_USERAGENT, "sekisho")
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_QUICK_EXIT, 1)  // or giving up would wait for the resolver's thread
        try set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        if let certificateAuthorities { try set(CURLOPT_CAINFO, certificateAuthorities) }
        // With a folder of certificates the library reads all of them for every connection; the file alone it keeps.
        try set(CURLOPT_CAPATH, nil)
        try set(CURLOPT_MAXAGE_CONN, max(1, Int(limits.idleAge.components.seconds)))
        shim_curl_set_callbacks(
            handle, Unmanaged.passUnretained(self).toOpaque(),
            { line, _, count, context in
                let goesOn = transfer(context)?.receiveHead(UnsafeRawBufferPointer(start: line, count: count))
                return goesOn == true ? count : 0
            },
            { piece, _, count, context in
                let goesOn = transfer(context)?.receiveBody(UnsafeRawBufferPointer(start: piece, count: count))
                return goesOn == true ? count : 0
            },
            { context, _, address in
                guard let transfer = transfer(context), let address else { return CURL_SOCKET_BAD }
                return transfer.openSocket(for: address)
            })
    }

    func prepare(_ request: ClientRequest) throws(ClientFault) {
        try set(CURLOPT_URL, request.url)
        // Ours ends the wait; the library's own shares the time among a host's addresses.
        let (seconds, attoseconds) = min(request.deadline, .seconds(3600)).components
        try set(CURLOPT_TIMEOUT_MS, max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)))
        try check(shim_curl_set_fields(handle, fields.first))
        switch request.method {
        case .head: try set(CURLOPT_NOBODY, 1)
        case .get where request.body.isEmpty: break
        case .delete where request.body.isEmpty, .options where request.body.isEmpty:
            try set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        default:
            try check(shim_curl_copy_body(handle, request.body, request.body.count))
            try set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        }
    }

    private func set(_ option: CURLoption, _ number: Int) throws(ClientFault) {
        try check(shim_curl_set_number(handle, option, number))
    }

    private func set(_ option: CURLoption, _ text: String?) throws(ClientFault) {
        try check(shim_curl_set_text(handle, option, text))
    }

    private func check(_ code: CURLcode) throws(ClientFault) {
        if let fault = ClientFault(code) { throw fault }
    }
}

/// The transfer that the library was told to name.
func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
}
