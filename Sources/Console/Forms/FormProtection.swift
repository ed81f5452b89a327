internal import Crypto
internal import Encoding
package import HTTP

/// Accepts a submitted form only if a page of the gateway itself sent it.
package struct FormProtection: Sendable {
    private let key: [UInt8]

    /// - Parameter key: at least 32 random bytes, which only the gateway knows.
    package init(key: [UInt8]) {
        self.key = key
    }

    /// Returns the token of a form on a page.
    ///
    /// - Parameters:
    ///   - path: the path of the page, which names the form's subject.
    ///   - form: the ID of the form.
    package func token(of form: String, at path: String) -> String {
        Base64URL.encode(HMAC.sha256(key: key, message: Array("\(path)\u{0}\(form)".utf8)))
    }

    /// Whether a request comes from a form on the page that `token` names, and not from a script or another site.
    ///
    /// - Parameter origin: the origin of the gateway.
    package func accepts(
        _ request: Request, token: String, of form: String, at path: String, origin: String
    ) -> Bool {
        let expected = Array(self.token(of: form, at: path).utf8)
        let given = Array(token.utf8)
        guard given.count == expected.count, zip(given, expected).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0 else {
            return false
        }
        return request.isSubmittedByPage(of: origin)
    }
}
