internal import JSON

/// What OpenID Connect Discovery 1.0 §3 asks for, as far as it applies: tokens are had from our REST API, not from an
/// authorization endpoint, so that clients which only verify find what they need.
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

    /// - Parameter jwksURI: where the keys are really served; in dev mode the issuer is not an address of ours.
    public init(issuer: String, jwksURI: String, algorithms: [String]) {
        self.issuer = issuer
        self.jwksURI = jwksURI
        idTokenSigningAlgValuesSupported = algorithms
    }

    public func json() throws -> [UInt8] { try StrictJSON.encode(self) }
}
