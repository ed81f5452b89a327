public import CSystem

/// A linked list of lines for libcurl: header fields, or the recipients of a message.
public final class LineList {
    public private(set) var first: UnsafeMutablePointer<curl_slist>?

    /// - Throws: ``CurlFault`` if memory is exhausted: a request without one of its header fields must not be sent.
    public init(_ lines: [String]) throws(CurlFault) {
        for line in lines {
            guard let extended = curl_slist_append(first, line) else { throw CurlFault(CURLE_OUT_OF_MEMORY) }
            first = extended
        }
    }

    deinit {
        curl_slist_free_all(first)
    }
}
