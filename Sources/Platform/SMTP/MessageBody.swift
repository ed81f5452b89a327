internal import CSystem
internal import Curl

/// The text and HTML alternatives of a message (RFC 2046 §5.1.4), as a MIME structure of libcurl.
final class MessageBody {
    let root: OpaquePointer

    init(_ message: Message, for handle: Handle) throws(CurlFault) {
        guard let root = curl_mime_init(handle.pointer) else { throw CurlFault(CURLE_OUT_OF_MEMORY) }
        self.root = root
        guard let alternatives = curl_mime_init(handle.pointer) else { throw CurlFault(CURLE_OUT_OF_MEMORY) }
        let part = curl_mime_addpart(root)
        // If this call succeeds, `part` owns `alternatives`.
        guard curl_mime_subparts(part, alternatives) == CURLE_OK else {
            curl_mime_free(alternatives)
            throw CurlFault(CURLE_OUT_OF_MEMORY)
        }
        try handle.check(curl_mime_type(part, "multipart/alternative"))
        try Self.add(message.text, "text/plain; charset=utf-8", to: alternatives, of: handle)
        try Self.add(message.html, "text/html; charset=utf-8", to: alternatives, of: handle)
    }

    deinit {
        curl_mime_free(root)
    }

    /// Adds an alternative. The caller adds the preferred one last (RFC 2046 §5.1.4). Lines end with CRLF (RFC 5322
    /// §2.1).
    private static func add(
        _ text: String, _ type: String, to parts: OpaquePointer, of handle: Handle
    ) throws(CurlFault) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
        let isASCII = lines.utf8.allSatisfy { $0 < 0x80 }
        let part = curl_mime_addpart(parts)
        try handle.check(curl_mime_data(part, lines, lines.utf8.count))
        try handle.check(curl_mime_type(part, type))
        try handle.check(curl_mime_encoder(part, isASCII ? "quoted-printable" : "base64"))
    }
}
