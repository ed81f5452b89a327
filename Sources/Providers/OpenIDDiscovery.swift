internal import JSON

/// The two required members of a discovery document (OpenID Connect Discovery 1.0 §3).
struct OpenIDDiscovery: Sendable {
    private static let suffix = "/.well-known/openid-configuration"
    private static let urlLimit = 2048

    let issuer: String
    let keysURL: String

    /// - Parameters:
    ///   - url: the address of the document, which must belong to its issuer (§4.3).
    ///   - allowingPlain: accepts keys on the same host without TLS.
    init(parsing body: [UInt8], foundAt url: String, allowingPlain: Bool) throws {
        let document = try StrictJSON.decode(Document.self, from: body)
        guard Self.address(of: document.issuer).isExactly(url) else { throw DocumentFault.otherIssuer }
        let keysURL = document.keysURL
        let isOnSameHost = Self.origin(of: keysURL).map { $0.isExactly(Self.origin(of: url) ?? "") } ?? false
        guard keysURL.utf8.count <= Self.urlLimit,
            keysURL.hasPrefix("https://") || (allowingPlain && isOnSameHost)
        else { throw DocumentFault.keysNotEncrypted }
        issuer = document.issuer
        self.keysURL = keysURL
    }

    /// The address of the discovery document; a slash at the end of the issuer is dropped (§4).
    static func address(of issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + suffix
    }

    /// Scheme, host and port as they are written.
    static func origin(of url: String) -> String? {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[1].isEmpty, !parts[2].isEmpty else { return nil }
        return "\(parts[0])//\(parts[2])"
    }

    private struct Document: Decodable {
        let issuer: String
        let keysURL: String

        private enum CodingKeys: String, CodingKey {
            case issuer
            case keysURL = "jwks_uri"
        }
    }
}
