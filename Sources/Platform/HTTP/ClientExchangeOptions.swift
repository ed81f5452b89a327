internal import CSystem
internal import Curl

extension ClientExchange {
    func setCallbacks() {
        shim_curl_set_callbacks(
            handle.pointer, Unmanaged.passUnretained(self).toOpaque(),
            { line, _, count, context in
                let continues = exchange(context)?.receiveHead(UnsafeRawBufferPointer(start: line, count: count))
                return continues == true ? count : 0
            },
            { piece, _, count, context in
                let continues = exchange(context)?.receiveBody(UnsafeRawBufferPointer(start: piece, count: count))
                return continues == true ? count : 0
            })
    }

    func setRequestOptions(_ request: ClientRequest) throws(CurlFault) {
        try handle.set(CURLOPT_URL, request.url)
        try handle.set(CURLOPT_USERAGENT, "sekisho")
        try handle.check(shim_curl_set_fields(handle.pointer, fields.first))
        switch request.method {
        case .head: try handle.set(CURLOPT_NOBODY, 1)
        case .get where request.body.isEmpty: break
        case .delete where request.body.isEmpty, .options where request.body.isEmpty:
            try handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        default:
            try handle.check(shim_curl_copy_body(handle.pointer, request.body, request.body.count))
            try handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        }
    }
}

/// Returns the exchange to which a callback's context points.
private func exchange(_ context: UnsafeMutableRawPointer?) -> ClientExchange? {
    context.map { Unmanaged<ClientExchange>.fromOpaque($0).takeUnretainedValue() }
}
