/// The supported request methods (RFC 9110 §9.3, RFC 5789). ``RequestHeadParser`` rejects others.
public enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"
    case head = "HEAD"
}
