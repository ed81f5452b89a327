public import CSystem

/// A linked list of lines for libcurl: header fields, or the recipients of a message.
public final class LineList {
    public private(set) var first: UnsafeMutablePointer<curl_slist>?

    public init() {}

    deinit {
        curl_slist_free_all(first)
    }

    public func append(_ line: String) {
        first = curl_slist_append(first, line) ?? first
    }
}
