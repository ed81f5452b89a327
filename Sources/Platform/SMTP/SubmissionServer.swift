internal import CSystem
internal import Curl
internal import IPAddresses

/// A message submission server (RFC 6409). Connections are encrypted, except with `smtp://` to this machine if
/// `certificateAuthorities` is not set.
public struct SubmissionServer: Hashable, Sendable {
    /// The credentials for `AUTH`.
    public struct Login: Hashable, Sendable {
        let user: String
        let password: String
    }

    enum Encryption: Hashable, Sendable {
        /// TLS from the first byte (RFC 8314 §3).
        case implicitTLS
        /// TLS after `STARTTLS` (RFC 3207). If the server does not offer `STARTTLS`, the client sends no message.
        case startTLS
        /// No encryption; only for a server on this machine.
        case none
    }

    public let host: String
    public let port: UInt16
    let encryption: Encryption
    let login: Login?
    /// A file of PEM certificates to trust instead of the system's.
    let certificateAuthorities: String?

    /// - Parameters:
    ///   - url: `smtp://` or `smtps://`; optionally `user:password@`, percent-encoded; a host; and optionally a port
    ///     (default: 587, or 465 for `smtps://`).
    ///   - certificateAuthorities: a file of PEM certificates. If set, connections to this machine are encrypted too.
    /// - Returns: `nil` for any other URL.
    public init?(url: String, certificateAuthorities: String? = nil) {
        guard let url = ParsedURL(url, maximumLength: 2048, flags: CURLU_NON_SUPPORT_SCHEME),
            let host = url.part(CURLUPART_HOST)
        else { return nil }
        switch url.part(CURLUPART_SCHEME) {
        case "smtps": encryption = .implicitTLS
        case "smtp" where Self.isLoopback(host) && certificateAuthorities == nil: encryption = .none
        case "smtp": encryption = .startTLS
        default: return nil
        }
        guard url.part(CURLUPART_PATH).map({ $0 == "/" }) ?? true, url.part(CURLUPART_QUERY) == nil,
            url.part(CURLUPART_FRAGMENT) == nil, url.part(CURLUPART_OPTIONS) == nil
        else { return nil }
        switch (url.part(CURLUPART_USER), url.part(CURLUPART_PASSWORD)) {
        case (nil, nil): login = nil
        case (let user?, let password?): login = Login(user: user, password: password)
        default: return nil
        }
        let defaultPort: UInt16 = encryption == .implicitTLS ? 465 : 587
        guard let port = url.part(CURLUPART_PORT).map({ UInt16($0) }) ?? defaultPort, port > 0 else { return nil }
        self.host = host
        self.port = port
        self.certificateAuthorities = certificateAuthorities
    }

    /// Returns the URL for libcurl. libcurl sends the path of the URL as the host name in `EHLO`.
    func url(clientName: String) -> String {
        "\(encryption == .implicitTLS ? "smtps" : "smtp")://\(host):\(port)/\(clientName)"
    }

    private static func isLoopback(_ host: String) -> Bool {
        let address = host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host[...]
        return host == "localhost" || IPAddress(address)?.isLoopback == true
    }
}

extension SubmissionServer: CustomStringConvertible, CustomReflectable {
    /// Excludes the login.
    public var description: String { "\(host):\(port)" }
    public var customMirror: Mirror { Mirror(self, children: ["server": description]) }
}
