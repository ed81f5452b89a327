/// The request methods this server knows (RFC 9110 §9.3, RFC 5789). Anything else is refused at the front door.
public enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"
    case head = "HEAD"
}
