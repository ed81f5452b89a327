internal import HTTP
internal import Identity

/// The header field `X-HTTP-Method-Override`, with which a client that cannot send the methods PATCH, PUT and DELETE
/// names one of them in a POST request. The default transport of Firebase's Admin SDK for Java is such a client.
///
/// Only requests of administrators have a method override. A request with a cookie has none, because a page of another
/// site can cause such requests.
struct MethodOverride {
    static let methods: [HTTP.Method] = [.patch, .put, .delete]

    private static let fieldName = "X-HTTP-Method-Override"

    private let values: [String]

    /// - Returns: `nil` if the field is absent or has no effect on a request with this method and these fields.
    init?(_ method: HTTP.Method, _ headers: Headers) {
        guard method == .post, headers[Self.fieldName] != nil, headers["Cookie"] == nil,
            CallerCredential.bearer(in: headers) != nil
        else { return nil }
        values = headers.values(of: Self.fieldName)
    }

    /// Returns the method that the field names.
    ///
    /// - Throws: ``RequestRefusal`` for a repeated field or another value.
    func method() throws(RequestRefusal) -> HTTP.Method {
        guard values.count == 1, let method = HTTP.Method(rawValue: values[0]), Self.methods.contains(method) else {
            throw .rejected(
                .invalidArgument,
                "The header \(Self.fieldName) must be PATCH, PUT or DELETE, and must not be repeated.")
        }
        return method
    }
}
