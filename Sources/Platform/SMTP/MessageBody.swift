internal import CSystem
internal import Curl

/// The text and HTML alternatives of a message (RFC 2046 §5.1.4), as a MIME structure of libcurl. The HTML and its
/// images are one alternative (RFC 2387).
final class MessageBody {
    let root: OpaquePointer
    /// The headers of parts, which the structure refers to.
    private var headers: [LineList] = []

    init(_ message: Message, for handle: Handle) throws(CurlFault) {
        guard let root = curl_mime_init(handle.pointer) else { throw CurlFault(CURLE_OUT_OF_MEMORY) }
        self.root = root
        let alternatives = try Self.addParts("multipart/alternative", to: root, of: handle)
        try Self.add(message.text, "text/plain; charset=utf-8", to: alternatives, of: handle)
        let parent =
            message.inlineImages.isEmpty
            ? alternatives : try Self.addParts("multipart/related", to: alternatives, of: handle)
        try Self.add(message.html, "text/html; charset=utf-8", to: parent, of: handle)
        for image in message.inlineImages { try add(image, to: parent, of: handle) }
    }

    /// Adds a part that consists of parts, and returns these.
    private static func addParts(
        _ type: String, to parent: OpaquePointer, of handle: Handle
    ) throws(CurlFault) -> OpaquePointer {
        guard let parts = curl_mime_init(handle.pointer) else { throw CurlFault(CURLE_OUT_OF_MEMORY) }
        let part = curl_mime_addpart(parent)
        // If this call succeeds, `part` owns `parts`.
        guard curl_mime_subparts(part, parts) == CURLE_OK else {
            curl_mime_free(parts)
            throw CurlFault(CURLE_OUT_OF_MEMORY)
        }
        try handle.check(curl_mime_type(part, type))
        return parts
    }

    private func add(_ image: InlineImage, to parts: OpaquePointer, of handle: Handle) throws(CurlFault) {
        let lines = try LineList(["Content-ID: <\(image.contentID)>", "Content-Disposition: inline"])
        headers.append(lines)
        let part = curl_mime_addpart(parts)
        let result = image.content.withUnsafeBytes {
            curl_mime_data(part, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
        }
        try handle.check(result)
        try handle.check(curl_mime_type(part, image.mediaType))
        try handle.check(curl_mime_encoder(part, "base64"))
        try handle.check(curl_mime_headers(part, lines.first, 0))
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
