import Encoding
import FoundationEssentials
import Testing

/// Steps that many tests have in common.
extension TestGateway {
    /// An account's ID, and the tokens of one of its sessions.
    struct Tokens: Sendable {
        let localId: String
        let idToken: String
        let refreshToken: String
    }

    func signUp(email: String = "ada@example.com", password: String = "secret1") async throws -> Tokens {
        try Tokens(
            await post("/v1/accounts:signUp", ["email": .string(email), "password": .string(password)]))
    }

    func signIn(email: String = "ada@example.com", password: String = "secret1") async throws -> Exchange {
        try await post(
            "/v1/accounts:signInWithPassword", ["email": .string(email), "password": .string(password)])
    }

    func lookup(_ idToken: String) async throws -> Exchange {
        try await post("/v1/accounts:lookup", ["idToken": .string(idToken)])
    }

    func refresh(_ token: String) async throws -> Exchange {
        try await post("/v1/token", ["grant_type": "refresh_token", "refresh_token": .string(token)])
    }

    /// - Parameter change: the members of the request besides the ID token.
    func update(_ idToken: String, _ change: [String: JSON]) async throws -> Exchange {
        try await post(
            "/v1/accounts:update", .object(change.merging(["idToken": .string(idToken)]) { _, token in token }))
    }

    func delete(_ idToken: String) async throws -> Exchange {
        try await post("/v1/accounts:delete", ["idToken": .string(idToken)])
    }
}

extension TestGateway.Tokens {
    init(_ exchange: Exchange) throws {
        localId = try #require(exchange.json["localId"]?.string)
        idToken = try #require(exchange.json["idToken"]?.string)
        refreshToken = try #require(exchange.json["refreshToken"]?.string)
    }
}

/// Returns the header of a token without verifying the token.
func header(of token: String) throws -> JSON { try part(0, of: token) }
/// Returns the claims of a token without verifying the token.
func claims(of token: String) throws -> JSON { try part(1, of: token) }

private func part(_ index: Int, of token: String) throws -> JSON {
    let parts = token.split(separator: ".").map(String.init)
    return try JSON(try #require(Base64URL.decode(parts[index])))
}
