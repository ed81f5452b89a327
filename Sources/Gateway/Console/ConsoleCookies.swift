internal import API
internal import Crypto
internal import Encoding
internal import HTTP

/// The cookies of the console. A browser sends them only with requests that pages of the console's host make.
struct ConsoleCookies {
    enum Name: String {
        /// A sealed reference to the session.
        case session = "sekisho-console"
        /// A random text that binds the forms of the sign-in to the browser.
        case flow = "sekisho-console-flow"
        /// The code of an invitation that the person is about to accept.
        case invitation = "sekisho-console-invitation"
    }

    private let request: Request
    private let isSecure: Bool
    /// The values of `Set-Cookie`.
    private(set) var headers: [String] = []

    init(_ request: Request, isSecure: Bool) {
        self.request = request
        self.isSecure = isSecure
    }

    /// The value in the request; `nil` unless it has exactly one.
    subscript(name: Name) -> String? { request.cookie(ByteText(header(name))) }

    mutating func set(_ name: Name, _ value: String) {
        headers.append("\(header(name))=\(value); Path=/; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : ""))
    }

    mutating func remove(_ name: Name) {
        headers.append(
            "\(header(name))=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : ""))
    }

    /// Returns the text that binds the forms of the sign-in to the browser. Sets the cookie if it is absent.
    mutating func flow() -> String {
        if let flow = self[.flow], flow.utf8.count == 32 { return flow }
        let flow = Random.text(length: 32)
        set(.flow, flow)
        return flow
    }

    /// With the prefix, the browser accepts the cookie only from this host over HTTPS (RFC 6265bis §4.1.3.2).
    private func header(_ name: Name) -> String { (isSecure ? "__Host-" : "") + name.rawValue }
}

/// The host of the console.
struct ConsoleHost {
    private let authority: String

    /// - Returns: `nil` if the URL has no host.
    init?(of url: String) {
        guard let separator = url.utf8.firstRange(of: "://".utf8) else { return nil }
        authority = String(url[separator.upperBound...]).lowercased()
    }

    /// Whether the request names this host. A forged `Host` is no danger to the links of pages, which are relative, but
    /// a page under another name could read the console (DNS rebinding).
    func accepts(_ request: Request) -> Bool {
        request.headers["Host"]?.lowercased().isExactly(authority) == true
    }
}
