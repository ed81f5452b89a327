import Crypto
import Encoding
import Identity
import JSON
import Providers
import Testing

@Suite("ID tokens of generic OpenID providers")
struct OpenIDTests {
    @Test("A token is verified with the keys that the discovery document names")
    func discovery() async throws {
        let fixture = Fixture()
        let identity = try await fixture.verify(openIDToken(changing: ["groups": ["staff"]]), of: Fixture.openID)
        #expect(identity.provider == Fixture.openID)
        #expect(identity.subject == "f:ada")
        #expect(identity.audience == "realm-client")
        let info = try StrictJSON.decode(JSONValue.self, from: Array(identity.rawUserInfo.utf8))
        #expect(info.member("groups") == ["staff"])
        #expect(fixture.servers.requestedURLs == [Fixture.discoveryURL, Fixture.openIDKeysURL])
        #expect(fixture.servers.requestedAddresses.allSatisfy { $0.isFromConfiguration })
        _ = try await fixture.verify(openIDToken(), of: Fixture.openID)
        #expect(fixture.servers.requestedURLs.count == 2)
    }

    @Test("A token may be signed with ES256")
    func elliptic() async throws {
        let fixture = Fixture()
        fixture.servers.publish(.keySet(Keys.current, Keys.elliptic), at: Fixture.openIDKeysURL)
        #expect(try await fixture.refusal(of: openIDToken(signedBy: Keys.elliptic), from: Fixture.openID) == nil)
    }

    @Test("A token needs no key ID while the provider publishes only one key")
    func keyless() async throws {
        let fixture = Fixture()
        let parts = try openIDToken().split(separator: ".")
        let input = Base64URL.encode(Array(#"{"alg":"RS256"}"#.utf8)) + "." + parts[1]
        let token = try input + "." + Base64URL.encode(Keys.current.key.sign(Array(input.utf8)))
        #expect(try await fixture.refusal(of: token, from: Fixture.openID) == nil)
        fixture.servers.publish(.keySet(Keys.current, Keys.next), at: Fixture.openIDKeysURL)
        // After an hour, keys are fetched again.
        fixture.clock.advance(by: .seconds(3600))
        let refusal = try await fixture.refusal(of: token, from: Fixture.openID)
        #expect(refusal == .invalidToken(.keyIDMissing))
    }

    @Test(
        "An address is verified only if the project trusts the provider's addresses and email_verified is true",
        arguments: [
            (true, true, .verified), (true, "true", .none), (true, false, .none), (true, 1, .none),
            (true, nil, .none), (false, true, .none),
        ] as [(Bool, JSONValue?, EmailTrust)])
    func email(trustsEmail: Bool, claim: JSONValue?, trust: EmailTrust) async throws {
        let token = try openIDToken(changing: ["email_verified": claim ?? .null])
        let identity = try await Fixture().verify(token, of: Fixture.openID) { realm in
            realm[Fixture.openID].openID?.trustsEmail = trustsEmail
        }
        #expect(identity.emailTrust == trust)
        #expect(identity.email == EmailAddress("ada@example.com"))
    }

    @Test("A private relay address of Apple does not count as private in another provider's token")
    func relay() async throws {
        let token = try openIDToken(changing: ["email": "x@privaterelay.appleid.com", "is_private_email": true])
        #expect(try await !Fixture().verify(token, of: Fixture.openID).isPrivateEmail)
    }

    struct DiscoveryRow: CustomTestStringConvertible {
        let testDescription: String
        let document: String
        var isAccepted = false
        /// The issuer in the document if it is not the configured one.
        var otherIssuer: String?

        static func row(
            _ testDescription: String, issuer: String = Fixture.openIDIssuer, keys: String, isAccepted: Bool = false
        ) -> DiscoveryRow {
            DiscoveryRow(
                testDescription: testDescription, document: #"{"issuer":"\#(issuer)","jwks_uri":"\#(keys)"}"#,
                isAccepted: isAccepted, otherIssuer: issuer == Fixture.openIDIssuer ? nil : issuer)
        }

        static let all = [
            row("valid", keys: Fixture.openIDKeysURL, isAccepted: true),
            row("of another issuer", issuer: "https://attacker.example", keys: Fixture.openIDKeysURL),
            row("of an issuer with another path", issuer: Fixture.openIDIssuer + "2", keys: Fixture.openIDKeysURL),
            row("of the issuer with a trailing slash", issuer: Fixture.openIDIssuer + "/", keys: Fixture.openIDKeysURL),
            row("with keys over http", keys: "http://keys.example.net/realm"),
            row("with keys in a file", keys: "file:///etc/passwd"),
            row("with keys over http on the same host", keys: "http://login.example.com/keys"),
            DiscoveryRow(testDescription: "an HTML page", document: "<html></html>"),
            DiscoveryRow(testDescription: "without keys", document: #"{"issuer":"\#(Fixture.openIDIssuer)"}"#),
            DiscoveryRow(
                testDescription: "with a repeated member",
                document: #"{"issuer":"\#(Fixture.openIDIssuer)","issuer":"x","jwks_uri":"\#(Fixture.openIDKeysURL)"}"#),
        ]
    }

    @Test(
        "A token needs a valid discovery document; one of another issuer is reported with both issuers",
        arguments: DiscoveryRow.all)
    func configurations(row: DiscoveryRow) async throws {
        let fixture = Fixture()
        fixture.servers.publish(.text(row.document), at: Fixture.discoveryURL)
        if row.isAccepted {
            _ = try await fixture.verify(openIDToken(), of: Fixture.openID)
        } else if let seen = row.otherIssuer {
            // The second refusal comes from the cache.
            for _ in 0..<2 {
                #expect(
                    try await fixture.refusal(of: openIDToken(), from: Fixture.openID)
                        == .discoveryIssuer(configured: Fixture.openIDIssuer, seen: seen))
            }
            #expect(fixture.servers.requestedURLs == [Fixture.discoveryURL])
        } else {
            await #expect(throws: ProviderUnreachable.self) {
                try await fixture.verify(openIDToken(), of: Fixture.openID)
            }
            #expect(fixture.servers.requestedURLs == [Fixture.discoveryURL])
        }
    }

    @Test(
        "A cached discovery document stays in use if the provider later returns an invalid one",
        arguments: ["<html>", #"{"issuer":"https://attacker.example","jwks_uri":"https://attacker.example/keys"}"#])
    func lastGood(document: String) async throws {
        let fixture = Fixture()
        _ = try await fixture.verify(openIDToken(), of: Fixture.openID)
        fixture.servers.publish(.text(document), at: Fixture.discoveryURL)
        fixture.clock.advance(by: .seconds(3600))
        let late = try openIDToken(changing: ["exp": .integer(Fixture.start.seconds + 7200)])
        #expect(try await fixture.refusal(of: late, from: Fixture.openID) == nil)
    }

    @Test("A token is accepted if the configured issuer, the discovery document and the token have a trailing slash")
    func slash() async throws {
        let fixture = Fixture()
        let issuer = Fixture.openIDIssuer + "/"
        fixture.servers.publish(
            .text(#"{"issuer":"\#(issuer)","jwks_uri":"\#(Fixture.openIDKeysURL)"}"#), at: Fixture.discoveryURL)
        let token = try openIDToken(changing: ["iss": .string(issuer)])
        let refusal = try await fixture.refusal(of: token, from: Fixture.openID) { realm in
            realm[Fixture.openID].openID?.issuer = issuer
        }
        #expect(refusal == nil)
    }

    @Test("A provider may use http only if the operator allows it, and only with keys at its own origin")
    func unencryptedProvider() async throws {
        let issuer = "http://127.0.0.1:8080"
        let token = try openIDToken(changing: ["iss": .string(issuer)])
        for isAllowed in [true, false] {
            let fixture = Fixture(allowsUnencrypted: isAllowed)
            fixture.servers.publish(
                .text(#"{"issuer":"\#(issuer)","jwks_uri":"\#(issuer)/keys"}"#),
                at: issuer + "/.well-known/openid-configuration")
            fixture.servers.publish(.keySet(Keys.current), at: issuer + "/keys")
            let refusal = try await fixture.refusal(of: token, from: Fixture.openID) { realm in
                realm[Fixture.openID].openID?.issuer = issuer
            }
            #expect(refusal == (isAllowed ? nil : .notConfigured))
            #expect(fixture.servers.requestedURLs.isEmpty == !isAllowed)
        }
        let fixture = Fixture(allowsUnencrypted: true)
        fixture.servers.publish(
            .text(#"{"issuer":"\#(issuer)","jwks_uri":"http://127.0.0.1:8081/keys"}"#),
            at: issuer + "/.well-known/openid-configuration")
        await #expect(throws: ProviderUnreachable.self) {
            try await fixture.verify(token, of: Fixture.openID) { $0[Fixture.openID].openID?.issuer = issuer }
        }
    }

    @Test("A provider without an issuer is not configured")
    func unconfigured() async throws {
        let refusal = try await Fixture().refusal(of: openIDToken(), from: Fixture.openID) {
            $0[Fixture.openID].openID = nil
        }
        #expect(refusal == .notConfigured)
    }
}
