internal import CSystem

/// Passes a response to libmicrohttpd.
///
/// - Returns: whether the library accepted it. It rejects a status or a field that HTTP does not allow.
func queue(_ response: Response, on connection: OpaquePointer, closing: Bool) -> Bool {
    guard (200...599).contains(response.status), let answer = libraryResponse(response.body) else { return false }
    defer { MHD_destroy_response(answer) }
    for (name, value) in response.headers where MHD_add_response_header(answer, name, value) != .YES { return false }
    if closing, MHD_add_response_header(answer, "Connection", "close") != .YES { return false }
    return MHD_queue_response(connection, UInt32(response.status), answer) == .YES
}

private func libraryResponse(_ body: [UInt8]) -> OpaquePointer? {
    body.withUnsafeBytes { bytes in
        MHD_create_response_from_buffer(
            bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
    }
}
