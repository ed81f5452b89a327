import Crypto
import HTTP
import Identity
import Postgres
import Storage
import Testing
import Tokens

@testable import Gateway
@testable import Support

/// `signUp()` and `signIn()` use the address ada@example.com and the password `secret1`.
@Suite("Tokens and sessions")
struct SessionTests {
    @Test(
        "The exchange of a refresh token checks its members in the order of the wire protocol",
        arguments: [
            ([:], "400 MISSING_GRANT_TYPE"),
            (["grant_type": "password"], "400 INVALID_GRANT_TYPE"),
            (["grant_type": "refresh_token"], "400 MISSING_REFRESH_TOKEN"),
            (["grantType": "refresh_token", "refreshToken": ""], "400 MISSING_REFRESH_TOKEN"),
            (["grant_type": "refresh_token", "refresh_token": "nonsense"], "400 INVALID_REFRESH_TOKEN"),
        ] as [(JSON, String)])
    func tokenRefusals(body: JSON, expected: String) async throws {
        let answer = try await TestGateway().post("/v1/token", body)
        #expect(answer.outcome == expected)
        #expect(answer.json["error"]?["errors"] == nil, "the secure token service has no errors list")
        #expect(answer.json["error"]?["status"] == "INVALID_ARGUMENT")
    }

    @Test("A refresh token with one changed character is rejected")
    func tampered() async throws {
        let gateway = try await TestGateway()
        let token = try await gateway.signUp().refreshToken
        // Every third character, to make fewer requests.
        for position in stride(from: 0, to: token.count, by: 3) {
            var characters = Array(token)
            characters[position] = characters[position] == "A" ? "B" : "A"
            let answer = try await gateway.refresh(String(characters))
            #expect(answer.outcome == "400 INVALID_REFRESH_TOKEN", "at \(position)")
        }
    }

    @Test("A refresh keeps the time of login and changes the time of issue")
    func refreshedClaims() async throws {
        let gateway = try await TestGateway()
        let tokens = try await gateway.signUp()
        gateway.clock.advance(by: .seconds(1000))
        let refreshed = try await gateway.refresh(tokens.refreshToken)
        let before = try claims(of: tokens.idToken)
        let after = try claims(of: try #require(refreshed.json["id_token"]?.string))
        #expect(before["auth_time"] == after["auth_time"])
        #expect(before["sid"] == after["sid"])
        #expect(before["iat"] != after["iat"])
        #expect(
            after.keys == [
                "iss", "aud", "sub", "sid", "iat", "exp", "auth_time", "user_id", "email", "email_verified", "firebase",
            ])
        #expect(after["firebase"] == ["identities": ["email": ["ada@example.com"]], "sign_in_provider": "password"])
        #expect(after["iss"] == "https://auth.example.com/demo")
        #expect(after["aud"] == "demo")
        #expect(after["sub"] == after["user_id"])
    }

    @Test("The ID token of an anonymous account names anonymous as the provider")
    func anonymousClaims() async throws {
        let gateway = try await TestGateway()
        let anonymous = try await gateway.post("/v1/accounts:signUp")
        let claims = try claims(of: try #require(anonymous.json["idToken"]?.string))
        #expect(claims["provider_id"] == "anonymous")
        #expect(claims["firebase"] == ["identities": [:], "sign_in_provider": "anonymous"])
    }

    @Test("A forged or expired ID token, an ID token of another gateway, and a refresh token are rejected as ID tokens")
    func idTokens() async throws {
        let gateway = try await TestGateway()
        let tokens = try await gateway.signUp()
        let parts = tokens.idToken.split(separator: ".").map(String.init)
        // The last token has the header {"alg":"none","typ":"JWT"}.
        let forged = [
            "", "nonsense", "a.b.c", tokens.refreshToken, parts[0] + "." + parts[1] + ".",
            parts[0] + "." + parts[1] + "." + String(parts[2].reversed()),
            "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0." + parts[1] + ".",
        ]
        for token in forged {
            let expected = token.isEmpty ? "400 MISSING_ID_TOKEN" : "400 INVALID_ID_TOKEN"
            #expect(try await gateway.lookup(token).outcome == expected)
        }
        let other = try await TestGateway()
        #expect(try await other.lookup(tokens.idToken).outcome == "400 INVALID_ID_TOKEN")
        gateway.clock.advance(by: .seconds(3599))
        #expect(try await gateway.lookup(tokens.idToken).outcome == "200")
        gateway.clock.advance(by: .seconds(1))
        #expect(try await gateway.lookup(tokens.idToken).outcome == "400 INVALID_ID_TOKEN")
    }

    @Test("A cached token is rejected when it expires or its session ends, and by another gateway")
    func cachedToken() async throws {
        let gateway = try await TestGateway()
        let tokens = try await gateway.signUp()
        let ended = try TestGateway.Tokens(await gateway.signIn())
        for token in [tokens, ended] { #expect(try await gateway.lookup(token.idToken).outcome == "200") }
        let endedID = try #require(try claims(of: ended.idToken)["sid"]?.string)
        _ = try await gateway.database.pool.execute("UPDATE session SET ended_at = now() WHERE id::text = \(endedID)")
        #expect(try await gateway.lookup(ended.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.lookup(tokens.idToken).outcome == "200")
        let other = try await TestGateway()
        #expect(try await other.lookup(tokens.idToken).outcome == "400 INVALID_ID_TOKEN")
        gateway.clock.advance(by: .seconds(3600))
        #expect(try await gateway.lookup(tokens.idToken).outcome == "400 INVALID_ID_TOKEN")
    }

    @Test("With rotation, reuse of a stolen token ends the session for attacker and owner")
    func theft() async throws {
        let gateway = try await TestGateway(.sekisho)
        let tokens = try await gateway.signUp(password: "long enough")
        let second = try #require(try await gateway.refresh(tokens.refreshToken).json["refresh_token"]?.string)
        let answer = try await gateway.refresh(second)
        let third = try #require(answer.json["refresh_token"]?.string)
        #expect(Set([tokens.refreshToken, second, third]).count == 3)
        // The grace period, in which a former token is accepted, is 30 seconds.
        gateway.clock.advance(by: .seconds(31))
        #expect(try await gateway.refresh(tokens.refreshToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.refresh(third).outcome == "400 TOKEN_EXPIRED")
        let idToken = try #require(answer.json["id_token"]?.string)
        #expect(try await gateway.lookup(idToken).outcome == "400 TOKEN_EXPIRED")
    }

    @Test(
        "After a rotation of the signing key, tokens of the old key stay valid, and the new key is published before it signs"
    )
    func keyRotation() async throws {
        let gateway = try await TestGateway()
        let tokens = try await gateway.signUp()
        // The new key signs after 15 minutes. The old key retires after the last token that it signed has expired.
        let generator = KeyGenerator(masterKeys: gateway.masterKeys)
        let now = gateway.clock.now
        let key = try generator.idTokenKey(
            .rs256, in: gateway.realm.project.id, at: now, signsFrom: now + .seconds(900))
        try await SigningKeyStore(pool: gateway.database.pool)
            .add(key, othersRetireAt: now + .seconds(4800), in: gateway.realm.project.id)
        let rotated = try gateway.withFreshCaches()
        let published = try await rotated.getWithoutAPIKey("/demo/.well-known/jwks.json")
        #expect(published.json["keys"]?[1] != nil, "the new key is published before it signs")
        #expect(
            try header(of: try #require(try await rotated.refresh(tokens.refreshToken).json["id_token"]?.string))["alg"]
                == "ES256")
        gateway.clock.advance(by: .seconds(900))
        let fresh = try #require(try await rotated.refresh(tokens.refreshToken).json["id_token"]?.string)
        #expect(try header(of: fresh)["alg"] == "RS256")
        #expect(try await rotated.lookup(fresh).outcome == "200")
        #expect(try await rotated.lookup(tokens.idToken).outcome == "200", "the old key is still trusted")
    }

    @Test("Tokens of an ended session do not reveal that the account was disabled afterwards")
    func disabledAfterTheEnd() async throws {
        let gateway = try await TestGateway()
        let old = try await gateway.signUp()
        #expect(try await gateway.update(old.idToken, ["password": "secret2"]).status == 200)
        _ = try await gateway.database.pool.execute("UPDATE account SET disabled_at = now()")
        #expect(try await gateway.lookup(old.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.refresh(old.refreshToken).outcome == "400 TOKEN_EXPIRED")
    }

    @Test("A disabled account cannot refresh tokens or look itself up")
    func disabledAccount() async throws {
        let gateway = try await TestGateway()
        let tokens = try await gateway.signUp()
        _ = try await gateway.database.pool.execute("UPDATE account SET disabled_at = now()")
        #expect(try await gateway.refresh(tokens.refreshToken).outcome == "400 USER_DISABLED")
        #expect(try await gateway.lookup(tokens.idToken).outcome == "400 USER_DISABLED")
    }
}
