public import Encoding

/// Accepts a form only if a page of the gateway sent it, for the same browser, action and subject. Every page with a
/// form uses it. Pages also prove with it that a statement in their query comes from the gateway.
///
/// It does not stop a form that a script of the same origin submits. Therefore no session exists on a host that
/// forwards `/__/auth/` to the gateway.
public struct FormTokens: Sendable {
    /// The name of the field with the token.
    public static let field: ByteText = "formToken"

    /// Returns the HMAC-SHA-256 of a message under each active master key, that of the current key first.
    private let macs: @Sendable (_ message: [UInt8]) -> [[UInt8]]
    private let areEqual: @Sendable ([UInt8], [UInt8]) -> Bool

    /// - Parameters:
    ///   - macs: returns the HMAC-SHA-256 of a message under each active master key, that of the current key first.
    ///   - areEqual: compares in constant time.
    public init(
        macs: @escaping @Sendable (_ message: [UInt8]) -> [[UInt8]],
        areEqual: @escaping @Sendable ([UInt8], [UInt8]) -> Bool
    ) {
        self.macs = macs
        self.areEqual = areEqual
    }

    /// What a token is valid for.
    public struct Form: Sendable {
        /// What identifies the browser, such as the hash of its session's secret, or of its flow cookie.
        let browser: [UInt8]
        let action: String
        /// What the action is about, for example the ID of a session; empty if the action has only one subject.
        let subject: String

        public init(browser: [UInt8], action: String, subject: String = "") {
            self.browser = browser
            self.action = action
            self.subject = subject
        }
    }

    /// The length of a token in bytes (RFC 2104 §5).
    private static let length = 16

    public func token(for form: Form) -> String { Base64URL.encode(tokens(for: form)[0]) }

    /// - Parameters:
    ///   - token: the value of ``field``.
    ///   - origin: the origin of the page.
    public func accepts(_ request: Request, token: String?, for form: Form, origin: String) -> Bool {
        isValid(token, for: form) && request.isSubmittedByPage(of: origin)
    }

    /// Whether the gateway made the token for this form. Nothing is known about who sends it.
    public func isValid(_ token: String?, for form: Form) -> Bool {
        guard let token = token.flatMap(Base64URL.decode) else { return false }
        return tokens(for: form).contains { areEqual($0, token) }
    }

    /// The token under each active master key, that of the current key first.
    private func tokens(for form: Form) -> [[UInt8]] { macs(Self.message(form)).map { Array($0.prefix(Self.length)) } }

    /// The lengths make the message unambiguous.
    private static func message(_ form: Form) -> [UInt8] {
        Array("\(form.browser.count):\(form.action.utf8.count):\(form.subject.utf8.count):".utf8) + form.browser
            + Array(form.action.utf8) + Array(form.subject.utf8)
    }
}
