import Crypto
import HTTP
import Identity
import JOSE
import Postgres
import Storage
import Testing

/// A service key of a backend, with the secret and the private key that `keys create-service-key` would print.
struct ServiceKey: Sendable {
    let id: String
    let secret: String
    let privateKey: PrivateKey

    /// Creates the service key in the database of `gateway`.
    init(
        id: String = "backend", _ algorithm: SignatureAlgorithm = .es256, of project: ID<Project> = ID("demo"),
        in gateway: TestGateway, secret: String? = nil, scopes: ServiceKeyScopes = .all, expiresAt: Instant? = nil
    ) async throws {
        self.id = id
        self.secret = secret ?? "sks_\(id)"
        let secret = self.secret
        privateKey = try PrivateKey.generate(algorithm)
        let draft = ServiceKeyStore.Draft(
            id: id, name: id, secretHash: Digest.sha256(Array(secret.utf8)), publicKey: try privateKey.publicKey.pem,
            scopes: scopes, expiresAt: expiresAt)
        let isCreated = try await ServiceKeyStore(pool: gateway.database.pool)
            .create(draft, in: project, at: gateway.clock.now)
        #expect(isCreated)
    }

    /// The audience of custom tokens.
    static let audience = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    /// Signs a custom token that is issued at `now` for an hour.
    ///
    /// - Parameters:
    ///   - claims: the developer's claims for the ID token.
    ///   - change: changes the payload before it is signed.
    func customToken(
        uid: String = "ada", claims: JSON? = nil, at now: Instant, keyID: String? = nil,
        change: (inout [String: JSON]) -> Void = { _ in }
    ) throws -> String {
        var payload: [String: JSON] = [
            "iss": "backend@example.com", "sub": "backend@example.com", "aud": .string(Self.audience),
            "iat": .number(Double(now.seconds)), "exp": .number(Double(now.seconds + 3600)), "uid": .string(uid),
        ]
        if let claims { payload["claims"] = claims }
        change(&payload)
        return try JWS.sign(payload: try JSON.object(payload).bytes, keyID: keyID ?? id, with: privateKey)
    }
}

extension TestGateway {
    func signIn(customToken: String) async throws -> Exchange {
        try await post("/v1/accounts:signInWithCustomToken", ["token": .string(customToken)])
    }

    /// Sends a request with the secret of a service key.
    func send(
        _ method: HTTP.Method, _ path: String, _ body: JSON? = nil, by key: ServiceKey,
        query: [(name: String, value: String)] = []
    ) async throws -> Exchange {
        try await send(
            method, path, body: try body?.bytes ?? [], query: query, headers: ["Authorization": "Bearer \(key.secret)"])
    }
}
