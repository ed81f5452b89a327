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
        #expect(fixture.provider.requestedURLs == [Fixture.configurationURL, Fixture.openIDKeysURL])
        #expect(fixture.provider.requestedAddresses.allSatisfy { $0.isConfigured })
        _ = try await fixture.verify(openIDToken(), of: Fixture.openID)
        #expect(fixture.provider.requestedURLs.count == 2)
    }

    @Test("A token may be signed with ES256")
    func elliptic() async throws {
        let fixture = Fixture()
        fixture.provider.publish(.keys(of: Keys.current, Keys.elliptic), at: Fixture.openIDKeysURL)
        #expect(try await fixture.refusal(of: openIDToken(signedBy: Keys.elliptic), from: Fixture.openID) == nil)
    }

    @Test("A token needs no key ID if there is only one key")
    func keyless() async throws {
        let fixture = Fixture()
        let signed = try openIDToken().split(separator: ".")
        let input = Base64URL.encode(Array(#"{"alg":"RS256"}"#.utf8)) + "." + signed[1]
        let token = try input + "." + Base64URL.encode(Keys.current.key.sign(Array(input.utf8)))
        #expect(try await fixture.refusal(of: token, from: Fixture.openID) == nil)
        fixture.provider.publish(.keys(of: Keys.current, Keys.next), at: Fixture.openIDKeysURL)
        fixture.clock.advance(by: .seconds(3600))
        let late = try await fixture.refusal(of: token, from: Fixture.openID)
        #expect(late == .invalidToken(.keyIDMissing))
    }

    @Test(
        "An address is verified only if the project trusts the provider's addresses and email_verified is true",
        arguments: [
            (true, true, .verified), (true, "true", .none), (true, false, .none), (true, 1, .none),
            (true, nil, .none), (false, true, .none),
        ] as [(Bool, JSONValue?, EmailTrust)])
    func email(trustsEmail: Bool, claim: JSONValue?, trust: EmailTrust) async throws {
        let token = try openIDToken(changing: ["email_verified": claim ?? .null])
        let identity = try await Fixture().verify(token, of: Fixture.openID) { project in
            project[Fixture.openID].openID?.trustsEmail = trustsEmail
        }
        #expect(identity.emailTrust == trust)
        #expect(identity.email == EmailAddress("ada@example.com"))
    }

    @Test("An address at Apple's relay does not count as private in another provider's token")
    func relay() async throws {
        let token = try openIDToken(changing: ["email": "x@privaterelay.appleid.com", "is_private_email": true])
        #expect(try await !Fixture().verify(token, of: Fixture.openID).isPrivateEmail)
    }

    struct ConfigurationRow: CustomTestStringConvertible {
        let testDescription: String
        let document: String
        var isAccepted = false

        static func row(
            _ testDescription: String, issuer: String = Fixture.issuer, keys: String, isAccepted: Bool = false
        ) -> ConfigurationRow {
            ConfigurationRow(
                testDescription: testDescription, document: #"{"issuer":"\#(issuer)","jwks_uri":"\#(keys)"}"#,
                isAccepted: isAccepted)
        }

        static let all = [
            row("valid", keys: Fixture.openIDKeysURL, isAccepted: true),
            row("of another issuer", issuer: "https://attacker.example", keys: Fixture.openIDKeysURL),
            row("of another realm", issuer: Fixture.issuer + "2", keys: Fixture.openIDKeysURL),
            row("of nearly the same issuer", issuer: Fixture.issuer + "/", keys: Fixture.openIDKeysURL),
            row("with keys over http", keys: "http://keys.example.net/realm"),
            row("with keys in a file", keys: "file:///etc/passwd"),
            row("with keys over http on the same host", keys: "http://login.example.com/keys"),
            ConfigurationRow(testDescription: "an HTML page", document: "<html></html>"),
            ConfigurationRow(testDescription: "without keys", document: #"{"issuer":"\#(Fixture.issuer)"}"#),
            ConfigurationRow(
                testDescription: "with a repeated member",
                document: #"{"issuer":"\#(Fixture.issuer)","issuer":"x","jwks_uri":"\#(Fixture.openIDKeysURL)"}"#),
        ]
    }

    @Test(
        "A token is accepted with a valid discovery document, and otherwise neither accepted nor rejected",
        arguments: ConfigurationRow.all)
    func configurations(row: ConfigurationRow) async throws {
        let fixture = Fixture()
        fixture.provider.publish(.text(row.document), at: Fixture.configurationURL)
        if row.isAccepted {
            _ = try await fixture.verify(openIDToken(), of: Fixture.openID)
        } else {
            await #expect(throws: ProviderUnreachable.self) {
                try await fixture.verify(openIDToken(), of: Fixture.openID)
            }
            #expect(fixture.provider.requestedURLs == [Fixture.configurationURL])
        }
    }

    @Test(
        "A cached discovery document is used if the provider then returns an invalid one",
        arguments: ["<html>", #"{"issuer":"https://attacker.example","jwks_uri":"https://attacker.example/keys"}"#])
    func lastGood(document: String) async throws {
        let fixture = Fixture()
        _ = try await fixture.verify(openIDToken(), of: Fixture.openID)
        fixture.provider.publish(.text(document), at: Fixture.configurationURL)
        fixture.clock.advance(by: .seconds(3600))
        let late = try openIDToken(changing: ["exp": .integer(Fixture.start.seconds + 7200)])
        #expect(try await fixture.refusal(of: late, from: Fixture.openID) == nil)
    }

    @Test("An issuer keeps its trailing slash")
    func slash() async throws {
        let fixture = Fixture()
        let issuer = Fixture.issuer + "/"
        fixture.provider.publish(
            .text(#"{"issuer":"\#(issuer)","jwks_uri":"\#(Fixture.openIDKeysURL)"}"#), at: Fixture.configurationURL)
        let token = try openIDToken(changing: ["iss": .string(issuer)])
        let refusal = try await fixture.refusal(of: token, from: Fixture.openID) { project in
            project[Fixture.openID].openID?.issuer = issuer
        }
        #expect(refusal == nil)
    }

    @Test("A provider may use http only if the operator allows it, and only with keys at its own origin")
    func unencryptedProvider() async throws {
        let issuer = "http://127.0.0.1:8080"
        let token = try openIDToken(changing: ["iss": .string(issuer)])
        for isAllowed in [true, false] {
            let fixture = Fixture(allowsUnencrypted: isAllowed)
            fixture.provider.publish(
                .text(#"{"issuer":"\#(issuer)","jwks_uri":"\#(issuer)/keys"}"#),
                at: issuer + "/.well-known/openid-configuration")
            fixture.provider.publish(.keys(of: Keys.current), at: issuer + "/keys")
            let refusal = try await fixture.refusal(of: token, from: Fixture.openID) { project in
                project[Fixture.openID].openID?.issuer = issuer
            }
            #expect(refusal == (isAllowed ? nil : .notConfigured))
            #expect(fixture.provider.requestedURLs.isEmpty == !isAllowed)
        }
        let fixture = Fixture(allowsUnencrypted: true)
        fixture.provider.publish(
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
