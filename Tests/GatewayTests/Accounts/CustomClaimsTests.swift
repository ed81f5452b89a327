import Encoding
import Identity
import Postgres
import Testing

@testable import Support

@Suite("Claims of a custom token", .serialized)
struct CustomClaimsTests {
    @Test("Claims of a custom token are in the ID token and in the refreshed ID token, whatever their type")
    func refreshed() async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let added: [String: JSON] = [
            "role": "editor", "level": 7, "ratio": .number(0.5), "on": true, "none": nil, "list": [1, ["deep": "x"]],
            "ünïcode 😀": "ja", "name": 5, "email": 6, "claims": ["sub": "eve"],
        ]
        let token = try backend.customToken(claims: .object(added), at: gateway.clock.now)
        let answer = try await gateway.signIn(customToken: token)
        let first = try claims(of: try #require(answer.json["idToken"]?.string))
        gateway.clock.advance(by: .seconds(1800))
        let refreshed = try await gateway.refresh(try #require(answer.json["refreshToken"]?.string))
        let later = try claims(of: try #require(refreshed.json["id_token"]?.string))
        for (name, value) in added {
            #expect(first[name] == value, "\(name)")
            #expect(later[name] == value, "\(name)")
        }
        #expect(later["sub"] == "ada")
        let idToken = try #require(refreshed.json["id_token"]?.string)
        #expect(
            try await gateway.lookup(idToken).outcome == "200", "the gateway accepts its own token with these claims")
    }

    @Test("Claims of a custom token apply only to the session that the token opened")
    func otherSessions() async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let now = gateway.clock.now
        _ = try await gateway.signIn(customToken: backend.customToken(claims: ["role": "editor"], at: now))
        let withoutClaims = try await gateway.signIn(customToken: backend.customToken(at: now))
        #expect(try claims(of: try #require(withoutClaims.json["idToken"]?.string))["role"] == nil)
    }

    @Test("A custom token overrides the account's claims and name, but no other standard claim, in any letter case")
    func precedence() async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let account = try await gateway.signUp(email: "ada@example.com")
        _ = try await gateway.database.pool.execute(
            #"UPDATE account SET display_name = 'Ada', custom_claims = '{"role":"reader","team":"blue"}'"#)
        let token = try backend.customToken(
            uid: account.localId,
            claims: [
                "role": "editor", "name": "Countess", "email": "eve@example.com", "email_verified": true,
                "user_id": "eve", "Email": "eve@example.com", "USER_ID": "eve", "u\u{17F}er_id": "eve",
            ], at: gateway.clock.now)
        let answer = try await gateway.signIn(customToken: token)
        let claims = try claims(of: try #require(answer.json["idToken"]?.string))
        #expect(claims["role"] == "editor")
        #expect(claims["team"] == "blue")
        #expect(claims["name"] == "Countess")
        #expect(claims["email"] == "ada@example.com")
        #expect(claims["email_verified"] == false)
        #expect(claims["user_id"] == .string(account.localId))
        #expect(claims.keys.isDisjoint(with: ["Email", "USER_ID", "u\u{17F}er_id"]))
    }

    @Test("Reserved claims in a custom token are rejected", arguments: Claims.reserved.sorted().map(\.rawValue))
    func reserved(name: String) async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        // U+017F, the long s (ſ), is "S" in upper case.
        for spelling in [name, name.uppercased(), name.capitalized(), name.replacing("s", with: "\u{17F}")] {
            // These two are dropped instead.
            guard !["sid", "act"].contains(spelling) else { continue }
            let token = try backend.customToken(claims: .object(["ok": 1, spelling: "x"]), at: gateway.clock.now)
            let outcome = try await gateway.signIn(customToken: token).outcome
            #expect(outcome.hasPrefix("400 FORBIDDEN_CLAIM : \(spelling)"), "\(spelling)")
        }
    }
}

extension String {
    fileprivate func capitalized() -> String { prefix(1).uppercased() + dropFirst() }
}
