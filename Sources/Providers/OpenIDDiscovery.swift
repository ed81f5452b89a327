internal import Encoding
internal import JSON

/// The members of a discovery document that the gateway uses (OpenID Connect Discovery 1.0 §3).
struct OpenIDDiscovery: Sendable {
    private static let suffix = "/.well-known/openid-configuration"
    /// The maximum length of a URL, in bytes.
    private static let urlLimit = 2048

    let issuer: String
    let keysURL: String
    /// `nil` if the document has no such URL, or if the URL is too long or lacks TLS although TLS is required. Only a
    /// sign-in in the browser needs this URL.
    let authorizationURL: String?
    /// `nil` in the same cases as ``authorizationURL``.
    let tokenURL: String?
    /// Whether authorization responses contain `iss` (RFC 9207 §3).
    let sendsIssuer: Bool
    /// Whether the client secret is sent in the request body, because the token endpoint supports
    /// `client_secret_post`.
    let sendsSecretInBody: Bool

    /// - Parameters:
    ///   - url: the URL from which the document was fetched. It must be the discovery URL of the issuer that the
    ///     document names (§4.3).
    ///   - allowingUnencrypted: whether a URL in the document may have no TLS if its scheme, host and port are those of
    ///     `url`.
    init(parsing body: [UInt8], foundAt url: String, allowingUnencrypted: Bool) throws {
        let document = try StrictJSON.decode(Document.self, from: body)
        guard Self.address(of: document.issuer).isExactly(url) else {
            throw DocumentFault.otherIssuer(seen: String(document.issuer.prefix(Self.urlLimit)))
        }
        func isUsable(_ address: String) -> Bool {
            let hasSameOrigin = Self.origin(of: address).map { $0.isExactly(Self.origin(of: url) ?? "") } ?? false
            return address.utf8.count <= Self.urlLimit
                && (address.beginsExactly(with: "https://") || (allowingUnencrypted && hasSameOrigin))
        }
        guard isUsable(document.keysURL) else { throw DocumentFault.keysURLNotUsable }
        issuer = document.issuer
        keysURL = document.keysURL
        authorizationURL = document.authorizationURL.flatMap { isUsable($0) ? $0 : nil }
        tokenURL = document.tokenURL.flatMap { isUsable($0) ? $0 : nil }
        sendsIssuer = document.sendsIssuer ?? false
        sendsSecretInBody = document.tokenMethods?.contains("client_secret_post") ?? false
    }

    /// Returns the address of the discovery document. A slash at the end of the issuer is dropped (§4).
    static func address(of issuer: String) -> String {
        (issuer.endsExactly(with: "/") ? String(issuer.dropLast()) : issuer) + suffix
    }

    /// Returns the scheme, host and port of a URL, without normalising them.
    static func origin(of url: String) -> String? {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[1].isEmpty, !parts[2].isEmpty else { return nil }
        return "\(parts[0])//\(parts[2])"
    }

    private struct Document: Decodable {
        let issuer: String
        let keysURL: String
        let authorizationURL: String?
        let tokenURL: String?
        let sendsIssuer: Bool?
        let tokenMethods: [String]?

        private enum CodingKeys: String, CodingKey {
            case issuer
            case keysURL = "jwks_uri"
            case authorizationURL = "authorization_endpoint"
            case tokenURL = "token_endpoint"
            case sendsIssuer = "authorization_response_iss_parameter_supported"
            case tokenMethods = "token_endpoint_auth_methods_supported"
        }
    }
}
