public import CSystem

/// A URL parsed by libcurl, so that a check and the transfer interpret the URL in the same way.
public final class ParsedURL {
    private let handle: OpaquePointer

    /// - Parameters:
    ///   - maximumLength: the maximum length of `url` in bytes.
    ///   - flags: for `curl_url_set`, for example `CURLU_DISALLOW_USER`.
    /// - Returns: `nil` unless `url` is a valid URL of visible ASCII characters and not too long.
    public init?(_ url: String, maximumLength: Int, flags: Int32) {
        guard url.utf8.count <= maximumLength, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let handle = curl_url()
        else { return nil }
        self.handle = handle
        guard curl_url_set(handle, CURLUPART_URL, url, UInt32(flags)) == CURLUE_OK else { return nil }
    }

    deinit {
        curl_url_cleanup(handle)
    }

    /// - Returns: the part, percent-decoded; `nil` if the part is absent or not valid UTF-8.
    public func part(_ part: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, UInt32(CURLU_URLDECODE)) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(validatingCString: text)
    }
}
