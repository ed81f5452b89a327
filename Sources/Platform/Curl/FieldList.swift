public import CSystem

/// A linked list of lines for libcurl.
public final class FieldList {
    public private(set) var first: UnsafeMutablePointer<curl_slist>?

    public init() {}

    deinit {
        curl_slist_free_all(first)
    }

    public func append(_ line: String) {
        first = curl_slist_append(first, line) ?? first
    }
}
