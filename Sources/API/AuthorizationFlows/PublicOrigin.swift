public import Encoding
public import HTTP
internal import IPAddresses
internal import Identity

/// The origin at which browsers load the pages of the gateway.
public struct PublicOrigin: Sendable {
    /// Returns the URL of the gateway, without a slash at the end: the configured URL, or the URL of the
    /// loopback address if none is configured.
    let configured: @Sendable () -> String
    /// Whether the header field `Host`, or the header fields of a proxy on the same machine, may determine the origin.
    /// Only for a mode in which no URL is configured.
    let acceptsHostHeader: Bool

    public init(configured: @escaping @Sendable () -> String, acceptsHostHeader: Bool = false) {
        self.configured = configured
        self.acceptsHostHeader = acceptsHostHeader
    }
}

extension RequestPipeline {
    /// Returns the origin of a page: the app's origin if the app's web server forwards `/__/auth/` to the gateway,
    /// otherwise the gateway's origin. All pages of one sign-in need the same origin. Unless the origin accepts the
    /// header field `Host`, only a trusted proxy can name the app's host. The host must be one of the project's
    /// domains.
    func publicURL(of request: Request, in realm: Realm) -> String {
        let origin = services.signIn.publicOrigin
        let named: String? =
            if isFromTrustedProxy(request) || (origin.acceptsHostHeader && Limits.isLoopback(request.peer)),
                let host = request.singleValue(of: "X-Forwarded-Host")
            {
                (request.headers["X-Forwarded-Proto"] == "http" ? "http://" : "https://") + host
            } else if origin.acceptsHostHeader, let host = request.singleValue(of: "Host") {
                "http://" + host
            } else {
                nil
            }
        guard let named, named.wholeMatch(of: /https?:\/\/[A-Za-z0-9.-]+(:[0-9]{1,5})?/) != nil,
            // For any other host, the configured origin is used.
            (try? AuthorizationTarget(page: named + "/", in: realm)) != nil
        else { return origin.configured() }
        return named
    }
}

extension Request {
    /// The value of a header field; `nil` unless the request has exactly one.
    fileprivate func singleValue(of name: String) -> String? {
        let values = headers.values(of: name)
        return values.count == 1 ? values[0] : nil
    }

    /// The value of a cookie; `nil` unless the request has exactly one with this name.
    public func cookie(_ name: ByteText) -> String? {
        let values = cookies.filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }

    /// The names of the cookies of flows, in the order of the request. Browsers send the oldest cookie first (RFC 6265
    /// §5.4).
    var flowCookieNames: [String] { cookies.map(\.name.rawValue).filter(AuthorizationFlow.Cookie.isFlowCookieName) }

    private var cookies: [(name: ByteText, value: String)] {
        headers.values(of: "Cookie").flatMap { $0.split(separator: ";") }.compactMap { pair in
            let sides = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return sides.count == 2 ? (ByteText(sides[0]), String(sides[1])) : nil
        }
    }
}

extension AuthorizationFlow.Cookie {
    /// The maximum number of earlier flows whose cookies a browser keeps when it starts another flow.
    static let maximumKept = 4

    /// Whether a cookie with this name can belong to a flow. The gateway never removes other cookies.
    static func isFlowCookieName(_ name: String) -> Bool {
        name.wholeMatch(of: /(__Host-)?sekisho-flow-[A-Za-z0-9_-]{1,16}/) != nil
    }

    /// The value of `Set-Cookie` that removes another flow's cookie.
    func setCookieHeader(removing name: String) -> String {
        "\(name)=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }

    /// The value of `Set-Cookie` for this flow's cookie. With `SameSite=Lax`, the browser sends the cookie when the
    /// provider redirects back.
    func setCookieHeader(value: String, maxAge: Int) -> String {
        "\(name)=\(value); Path=/; Max-Age=\(maxAge); HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }
}
