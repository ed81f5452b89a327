internal import JSON

/// A project's discovery document (OpenID Connect Discovery 1.0 §3) for clients that verify ID tokens. It names no
/// authorization endpoint, because the REST API issues the tokens.
public struct OpenIDConfiguration: Encodable, Sendable {
    let issuer: String
    let jwksURI: String
    let responseTypesSupported = ["id_token"]
    let subjectTypesSupported = ["public"]
    let idTokenSigningAlgValuesSupported: [String]

    enum CodingKeys: String, CodingKey {
        case issuer
        case jwksURI = "jwks_uri"
        case responseTypesSupported = "response_types_supported"
        case subjectTypesSupported = "subject_types_supported"
        case idTokenSigningAlgValuesSupported = "id_token_signing_alg_values_supported"
    }

    /// - Parameter jwksURI: the URL of the keys. It cannot be derived from the issuer, because in dev mode the issuer
    ///   is not a URL of the gateway.
    public init(issuer: String, jwksURI: String, algorithms: [String]) {
        self.issuer = issuer
        self.jwksURI = jwksURI
        idTokenSigningAlgValuesSupported = algorithms
    }

    public func json() throws -> [UInt8] { try StrictJSON.encode(self) }
}
