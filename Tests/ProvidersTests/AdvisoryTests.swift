import Crypto
import Encoding
import Identity
import JOSE
import JSON
import Providers
import Testing

/// Attacks on other software under their published names, and related attacks.
@Suite("Published vulnerabilities of other software")
struct AdvisoryTests {
    @Test("CVE-2026-31813: an issuer that the token names is neither contacted nor trusted")
    func attackersIssuer() async throws {
        let fixture = Fixture()
        let attacker = "https://attacker.example"
        fixture.servers.publish(.keySet(Keys.next), at: attacker + "/auth/keys")
        fixture.servers.publish(
            .text(#"{"issuer":"\#(attacker)","jwks_uri":"\#(attacker)/auth/keys"}"#),
            at: attacker + "/.well-known/openid-configuration")
        // Keys are checked before claims, so that Apple's claims suffice for each provider.
        for provider in [ProviderID.apple, .google, Fixture.openID] {
            let ownKeyID = try appleToken(changing: ["iss": .string(attacker)], signedBy: Keys.next)
            #expect(try await fixture.refusal(of: ownKeyID, from: provider) == .invalidToken(.unknownKey))
            let disguisedKey = Keys.Named(id: Keys.current.id, key: Keys.next.key)
            let providersKeyID = try appleToken(changing: ["iss": .string(attacker)], signedBy: disguisedKey)
            #expect(try await fixture.refusal(of: providersKeyID, from: provider) == .invalidToken(.signatureInvalid))
        }
        #expect(!fixture.servers.requestedURLs.isEmpty)
        #expect(fixture.servers.requestedURLs.allSatisfy { !$0.hasPrefix(attacker) })
    }

    @Test(
        "CVE-2026-30863: a provider without client IDs, or with only an empty client ID, accepts no token",
        arguments: [[], [""]] as [[String]], ["com.example.app", ""])
    func noAudience(clientIDs: [String], seen: String) async throws {
        let token = try appleToken(changing: ["aud": .string(seen)])
        let refusal = try await Fixture().refusal(of: token) { realm in realm[.apple].clientIDs = clientIDs }
        #expect(refusal == .invalidToken(.audience(expected: clientIDs, seen: [seen])))
    }

    @Test("CVE-2026-30949: a token that was requested by another client of the provider is rejected")
    func sibling() async throws {
        let token = try openIDToken(changing: ["azp": "sibling-client"])
        let refusal = try await Fixture().refusal(of: token, from: Fixture.openID)
        let expected = ["realm-client"]
        #expect(refusal == .invalidToken(.authorizedParty(expected: expected, seen: "sibling-client")))
    }

    @Test(
        "CVE-2022-39231: a client ID is compared as a whole, even in a list",
        arguments: [
            "com.example", "com.example.apps", "xcom.example.app", "com.example.app com.example.web",
            "[com.example.app]",
        ])
    func partOfAudience(seen: String) async throws {
        let fixture = Fixture()
        let expected = ["com.example.app", "com.example.web"]
        #expect(
            try await fixture.refusal(of: appleToken(changing: ["aud": .string(seen)]))
                == .invalidToken(.audience(expected: expected, seen: [seen])))
        #expect(
            try await fixture.refusal(of: appleToken(changing: ["aud": ["com.example.app", .string(seen)]]))
                == .invalidToken(.audience(expected: expected, seen: ["com.example.app", seen])))
    }

    @Test("CVE-2022-39231: client IDs are compared as bytes, even if Unicode calls their characters equivalent")
    func equivalentCharacters() async throws {
        let kelvin = "com.example.\u{212A}"
        #expect(kelvin == "com.example.K")
        let refusal = try await Fixture().refusal(of: appleToken(changing: ["aud": .string(kelvin)])) { realm in
            realm[.apple].clientIDs = ["com.example.K"]
        }
        #expect(refusal == .invalidToken(.audience(expected: ["com.example.K"], seen: [kelvin])))
    }

    @Test("CVE-2026-55669: a token for another app is rejected for every provider")
    func otherAudience() async throws {
        let fixture = Fixture()
        let tokens = [
            (ProviderID.apple, try appleToken(changing: ["aud": "com.other"])),
            (.google, try googleToken(changing: ["aud": "com.other"])),
            (Fixture.openID, try openIDToken(changing: ["aud": "com.other"])),
        ]
        for (provider, token) in tokens {
            let refusal = try await fixture.refusal(of: token, from: provider)
            guard case .invalidToken(.audience(_, ["com.other"])) = refusal else {
                Issue.record("\(provider.rawValue): \(String(describing: refusal))")
                continue
            }
        }
    }

    @Test(
        "GHSA-5hvv-9cqv-894r: an error instead of claims, or claims without a subject, do not identify a user",
        arguments: [
            #"{"error":"temporarily_unavailable"}"#, "{}", "[]", "null", "", "<html></html>",
            #"{"iss":"https://appleid.apple.com","aud":"com.example.app","iat":1800000000,"exp":1800000600}"#,
            #"{"iss":"https://appleid.apple.com","aud":"com.example.app","iat":1800000000,"exp":1800000600,"sub":""}"#,
        ])
    func errorAsClaims(payload: String) async throws {
        // A JWS must not have an empty part. Therefore a space stands for the empty payload.
        let token = try appleToken(
            header: #"{"alg":"RS256","kid":"current"}"#, payload: payload.isEmpty ? " " : payload)
        guard case .invalidToken(let fault) = try await Fixture().refusal(of: token) else {
            Issue.record("the token was accepted")
            return
        }
        #expect([.malformed, .claim("iss"), .claim("sub")].contains(fault))
    }

    @Test("HS256 with an RSA public key as the secret is rejected")
    func confusion() async throws {
        let secrets = [
            Array(try Keys.current.key.publicKey.pem.utf8), try StrictJSON.encode(JWKSet(keys: [Keys.current.jwk])), [],
        ]
        for secret in secrets {
            let token = try appleToken(
                header: #"{"alg":"HS256","kid":"current"}"#,
                sign: { input in HMAC.sha256(key: secret, message: input) })
            #expect(try await Fixture().refusal(of: token) == .invalidToken(.algorithmNotAllowed))
        }
    }

    @Test(
        "An algorithm that the provider does not use is rejected",
        arguments: ["none", "None", "NONE", "HS256", "RS384", "PS256", "ES384", "EdDSA", "", "rs256"])
    func algorithms(name: String) async throws {
        let token = try appleToken(header: #"{"alg":"\#(name)","kid":"current"}"#)
        #expect(try await Fixture().refusal(of: token) == .invalidToken(.algorithmNotAllowed))
    }

    @Test("ES256 is rejected for Apple and Google, even if they publish such a key")
    func elliptic() async throws {
        let fixture = Fixture()
        fixture.servers.publish(.keySet(Keys.elliptic), at: Fixture.appleKeysURL)
        fixture.servers.publish(.keySet(Keys.elliptic), at: Fixture.googleKeysURL)
        #expect(
            try await fixture.refusal(of: appleToken(signedBy: Keys.elliptic))
                == .invalidToken(.algorithmNotAllowed))
        #expect(
            try await fixture.refusal(of: googleToken(signedBy: Keys.elliptic), from: .google)
                == .invalidToken(.algorithmNotAllowed))
        #expect(fixture.servers.requestedURLs.isEmpty)
    }

    @Test("A key is used only with its own algorithm")
    func keyOfOtherKind() async throws {
        let token = try appleToken(header: #"{"alg":"RS256","kid":"elliptic"}"#)
        let fixture = Fixture()
        fixture.servers.publish(.keySet(Keys.elliptic), at: Fixture.appleKeysURL)
        #expect(try await fixture.refusal(of: token) == .invalidToken(.algorithmNotAllowed))
    }

    @Test("An unsigned token is rejected, with an empty signature and without one")
    func unsigned() async throws {
        let parts = try appleToken().split(separator: ".")
        for token in ["\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])", "\(parts[1])"] {
            #expect(try await Fixture().refusal(of: token) == .invalidToken(.malformed))
        }
    }

    @Test("A token with the header parameter crit is rejected")
    func critical() async throws {
        let token = try appleToken(header: #"{"alg":"RS256","kid":"current","crit":["exp"]}"#)
        #expect(try await Fixture().refusal(of: token) == .invalidToken(.criticalHeader))
    }

    @Test("Keys and URLs of keys in the header of a token are ignored", arguments: ["jku", "x5u", "jwk", "x5c"])
    func ownKeys(member: String) async throws {
        let fixture = Fixture()
        fixture.servers.publish(.keySet(Keys.next), at: "https://attacker.example/keys")
        let key = String(decoding: try StrictJSON.encode(Keys.next.jwk), as: UTF8.self)
        let value =
            switch member {
            case "jwk": key
            case "x5c": #"["AA"]"#
            default: #""https://attacker.example/keys""#
            }
        for (id, fault) in [("current", IdentityTokenFault.signatureInvalid), ("next", .unknownKey)] {
            let token = try appleToken(
                header: #"{"alg":"RS256","kid":"\#(id)","\#(member)":\#(value)}"#,
                sign: { input in try Keys.next.key.sign(input) })
            #expect(try await fixture.refusal(of: token) == .invalidToken(fault))
        }
        #expect(Set(fixture.servers.requestedURLs) == [Fixture.appleKeysURL])
    }

    @Test(
        "A token of Apple without a key ID is rejected", arguments: [#"{"alg":"RS256"}"#, #"{"alg":"RS256","kid":""}"#])
    func keyless(header: String) async throws {
        #expect(try await Fixture().refusal(of: appleToken(header: header)) == .invalidToken(.keyIDMissing))
    }

    @Test(
        "A token whose header has the type of another kind of JWT is rejected",
        arguments: ["at+jwt", "logout+jwt", "secevent+jwt"])
    func otherType(type: String) async throws {
        let token = try appleToken(header: #"{"alg":"RS256","kid":"current","typ":"\#(type)"}"#)
        #expect(try await Fixture().refusal(of: token) == .invalidToken(.claim("typ")))
        #expect(
            try await Fixture().refusal(of: appleToken(header: #"{"alg":"RS256","kid":"current","typ":"JWT"}"#)) == nil)
    }

    @Test(
        "A token with duplicate members in its payload or header is rejected",
        arguments: [#","aud":"com.example.app"}"#, #","s\u0075b":"eve"}"#, #","x":{"a":1,"a":2}}"#])
    func duplicates(endOfPayload: String) async throws {
        let payload = try String(appleClaimsText().dropLast()) + endOfPayload
        let token = try appleToken(header: #"{"alg":"RS256","kid":"current"}"#, payload: payload)
        #expect(try await Fixture().refusal(of: token) == .invalidToken(.malformed))
        let duplicateInHeader = try appleToken(header: #"{"alg":"RS256","kid":"current","kid":"next"}"#)
        #expect(try await Fixture().refusal(of: duplicateInHeader) == .invalidToken(.malformed))
    }

    @Test("A token of more than 16 KiB is rejected before keys are fetched")
    func oversized() async throws {
        let fixture = Fixture()
        let token = try appleToken(changing: ["x": .string(String(repeating: "x", count: 20_000))])
        #expect(try await fixture.refusal(of: token) == .invalidToken(.tooLong))
        #expect(fixture.servers.requestedURLs.isEmpty)
    }

    @Test("Sign in with Apple flaw of 2020 (Bhavuk Jain), nOAuth: the email address does not identify the user")
    func addressIsNotTheSubject() async throws {
        let fixture = Fixture()
        let victim = try await fixture.verify(appleToken())
        let other = try await fixture.verify(appleToken(changing: ["sub": "another"]))
        #expect(victim.email == other.email && victim.subject != other.subject)
        #expect(
            try await fixture.refusal(of: appleToken(changing: ["sub": .null])) == .invalidToken(.claim("sub")))
    }
}
