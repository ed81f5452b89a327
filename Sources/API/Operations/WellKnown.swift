internal import HTTP
internal import Identity

extension Endpoint {
    /// OpenID Connect Discovery 1.0, for the only project of an installation.
    static let getOpenIDConfiguration = unauthenticated(
        "getOpenIdConfiguration", "/.well-known/openid-configuration"
    ) { try await $0.document { $0.openIDConfiguration } }

    static let getProjectOpenIDConfiguration = unauthenticated(
        "getProjectOpenIdConfiguration", "/{project}/.well-known/openid-configuration"
    ) { try await $0.document { $0.openIDConfiguration } }

    /// JWK set (RFC 7517 §5), for the only project of an installation.
    static let getJwks = unauthenticated("getJwks", "/.well-known/jwks.json") { try await $0.document { $0.jwks } }

    static let getProjectJwks = unauthenticated("getProjectJwks", "/{project}/.well-known/jwks.json") {
        try await $0.document { $0.jwks }
    }

    /// The JWK set, at the path where Firebase publishes the keys of session cookies.
    static let getSessionCookiePublicKeys = unauthenticated(
        "getSessionCookiePublicKeys", "/v1/sessionCookiePublicKeys"
    ) { try await $0.document { $0.jwks } }

    /// The JWK set of the only project, at the path where Firebase publishes its keys.
    static let getSigningKeys = unauthenticated(
        "getSigningKeys", "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
    ) { try await $0.document { $0.jwks } }

    /// Certificates of the only project, at the path where Firebase publishes its certificates.
    static let getSigningCertificates = unauthenticated(
        "getSigningCertificates", "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"
    ) { try await $0.document { $0.certificates } }

    static let getProjectSigningCertificates = unauthenticated(
        "getProjectSigningCertificates", "/{project}/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"
    ) { try await $0.document { $0.certificates } }
}

extension EndpointCall {
    /// Returns one of the project's documents, which clients may cache for ``ProjectDocuments/maxAge``.
    fileprivate func document(_ part: (ProjectDocuments) -> [UInt8]) async throws -> Response {
        let project = parameters["project"].map { ID<Project>($0) }
        guard let documents = try await services.operations.documents(project) else { throw RequestRefusal.notFound }
        var response = Response.json(encoded: part(documents))
        response.headers.add("Cache-Control", "public, max-age=\(documents.maxAge)")
        return response
    }
}
