/// The redirect URIs that a simulated provider accepts.
public struct RedirectURIRule: Sendable {
    /// The redirect URIs that are accepted although the client has not registered them.
    public enum Unregistered: Sendable {
        /// Every URI, if the client has registered none; otherwise no URI.
        case anyIfNoneRegistered
        /// Loopback URLs, so that a web app needs no set-up.
        case loopback
    }

    public var unregistered: Unregistered
    /// The redirect URIs that are accepted for every client.
    public var additional: Set<String>

    public init(unregistered: Unregistered = .anyIfNoneRegistered, additional: Set<String> = []) {
        self.unregistered = unregistered
        self.additional = additional
    }

    /// - Parameter registered: the redirect URIs of the client.
    func accepts(_ uri: String, registered: Set<String>) -> Bool {
        if registered.contains(uri) || additional.contains(uri) { return true }
        return switch unregistered {
        case .anyIfNoneRegistered: registered.isEmpty
        case .loopback: WebURL(uri)?.isLoopback == true
        }
    }
}

/// An absolute `http` or `https` URL without a user name or a fragment.
struct WebURL {
    let scheme: Substring
    /// In lower case.
    let host: String

    init?(_ text: String) {
        let pattern = /(https?):\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?(?:[\/?][!-~&&[^#]]*)?/
        guard let match = text.wholeMatch(of: pattern) else { return nil }
        scheme = match.output.1
        host = match.output.2.lowercased()
    }

    var isLoopback: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
            || host.wholeMatch(of: /127\.[0-9]+\.[0-9]+\.[0-9]+/) != nil
    }

    /// Whether Apple accepts the URL as a return URL: only with https and a domain name.
    var isAcceptableToApple: Bool {
        scheme == "https" && !isLoopback && !host.hasPrefix("[") && host.contains(".")
            && host.wholeMatch(of: /[0-9.]+/) == nil
    }
}
