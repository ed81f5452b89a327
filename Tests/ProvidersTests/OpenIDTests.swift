import Crypto
import Encoding
import Identity
import JSON
import Providers
import Testing

@Suite("An ID token of an operator's own provider")
struct OpenIDTests {
    @Test("is believed by the keys that the provider's configuration names")
    func discovery() async throws {
        let desk = Fixture()
        let identity = try await desk.verify(openIDToken(changing: ["groups": ["staff"]]), of: Fixture.openID)
        #expect(identity.provider == Fixture.openID)
        #expect(identity.subject == "f:ada")
        #expect(identity.audience == "realm-client")
        let info = try StrictJSON.decode(JSONValue.self, from: Array(identity.rawUserInfo.utf8))
        #expect(info.member("groups") == ["staff"])
        #expect(desk.provider.asked == [Fixture.configurationURL, Fixture.openIDKeysURL])
        #expect(desk.provider.askedAddresses.allSatisfy { $0.isConfigured })
        _ = try await desk.verify(openIDToken(), of: Fixture.openID)
        #expect(desk.provider.asked.count == 2)
    }

    @Test("may be signed with ES256")
    func elliptic() async throws {
        let desk = Fixture()
        desk.provider.publish(.keys(of: Keys.current, Keys.elliptic), at: Fixture.openIDKeysURL)
        #expect(try await desk.refusal(of: openIDToken(signedBy: Keys.elliptic), from: Fixture.openID) == nil)
    }

    @Test("may go without a key id where there is one key only")
    func keyless() async throws {
        let desk = Fixture()
        let signed = try openIDToken().split(separator: ".")
        let input = Base64URL.encode(Array(#"{"alg":"RS256"}"#.utf8)) + "." + signed[1]
        let token = try input + "." + Base64URL.encode(Keys.current.key.sign(Array(input.utf8)))
        #expect(try await desk.refusal(of: token, from: Fixture.openID) == nil)
        desk.provider.publish(.keys(of: Keys.current, Keys.next), at: Fixture.openIDKeysURL)
        desk.clock.pass(.seconds(3600))
        let late = try await desk.refusal(of: token, from: Fixture.openID)
        #expect(late == .tokenNotBelieved(.keyIDMissing))
    }

    @Test(
        "is trusted about the address if the operator says so and the provider does, in so many letters",
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

    @Test("is never about a relay of Apple's")
    func relay() async throws {
        let token = try openIDToken(changing: ["email": "x@privaterelay.appleid.com", "is_private_email": true])
        #expect(try await !Fixture().verify(token, of: Fixture.openID).isPrivateEmail)
    }

    struct ConfigurationRow: CustomTestStringConvertible {
        let testDescription: String
        let document: String
        var isTaken = false

        static func row(
            _ testDescription: String, issuer: String = Fixture.issuer, keys: String, isTaken: Bool = false
        ) -> ConfigurationRow {
            ConfigurationRow(
                testDescription: testDescription, document: #"{"issuer":"\#(issuer)","jwks_uri":"\#(keys)"}"#,
                isTaken: isTaken)
        }

        static let all = [
            row("as it should be", keys: Fixture.openIDKeysURL, isTaken: true),
            row("of another issuer", issuer: "https://attacker.example", keys: Fixture.openIDKeysURL),
            row("of another realm", issuer: Fixture.issuer + "2", keys: Fixture.openIDKeysURL),
            row("of nearly the same issuer", issuer: Fixture.issuer + "/", keys: Fixture.openIDKeysURL),
            row("with keys unencrypted", keys: "http://keys.example.net/realm"),
            row("with keys in a file", keys: "file:///etc/passwd"),
            row("with keys unencrypted on the same host", keys: "http://login.example.com/keys"),
            ConfigurationRow(testDescription: "a page", document: "<html></html>"),
            ConfigurationRow(testDescription: "without keys", document: #"{"issuer":"\#(Fixture.issuer)"}"#),
            ConfigurationRow(
                testDescription: "that says it twice",
                document: #"{"issuer":"\#(Fixture.issuer)","issuer":"x","jwks_uri":"\#(Fixture.openIDKeysURL)"}"#),
        ]
    }

    @Test("is neither believed nor refused while there is no good configuration", arguments: ConfigurationRow.all)
    func configurations(row: ConfigurationRow) async throws {
        let desk = Fixture()
        desk.provider.publish(.text(row.document), at: Fixture.configurationURL)
        if row.isTaken {
            _ = try await desk.verify(openIDToken(), of: Fixture.openID)
        } else {
            await #expect(throws: ProviderUnreachable.self) {
                try await desk.verify(openIDToken(), of: Fixture.openID)
            }
            #expect(desk.provider.asked == [Fixture.configurationURL])
        }
    }

    @Test(
        "outlives its provider's configuration",
        arguments: ["<html>", #"{"issuer":"https://attacker.example","jwks_uri":"https://attacker.example/keys"}"#])
    func lastGood(document: String) async throws {
        let desk = Fixture()
        _ = try await desk.verify(openIDToken(), of: Fixture.openID)
        desk.provider.publish(.text(document), at: Fixture.configurationURL)
        desk.clock.pass(.seconds(3600))
        let late = try openIDToken(changing: ["exp": .integer(Fixture.start.seconds + 7200)])
        #expect(try await desk.refusal(of: late, from: Fixture.openID) == nil)
    }

    @Test("of an issuer with a slash at its end has that slash")
    func slash() async throws {
        let desk = Fixture()
        let issuer = Fixture.issuer + "/"
        desk.provider.publish(
            .text(#"{"issuer":"\#(issuer)","jwks_uri":"\#(Fixture.openIDKeysURL)"}"#), at: Fixture.configurationURL)
        let token = try openIDToken(changing: ["iss": .string(issuer)])
        let refusal = try await desk.refusal(of: token, from: Fixture.openID) { project in
            project[Fixture.openID].openID?.issuer = issuer
        }
        #expect(refusal == nil)
    }

    @Test("comes unencrypted from this machine only where the operator allows it")
    func privateProvider() async throws {
        let issuer = "http://127.0.0.1:8080"
        let token = try openIDToken(changing: ["iss": .string(issuer)])
        for allowed in [true, false] {
            let desk = Fixture(allowsPrivate: allowed)
            desk.provider.publish(
                .text(#"{"issuer":"\#(issuer)","jwks_uri":"\#(issuer)/keys"}"#),
                at: issuer + "/.well-known/openid-configuration")
            desk.provider.publish(.keys(of: Keys.current), at: issuer + "/keys")
            let refusal = try await desk.refusal(of: token, from: Fixture.openID) { project in
                project[Fixture.openID].openID?.issuer = issuer
            }
            #expect(refusal == (allowed ? nil : .notConfigured))
            #expect(desk.provider.asked.isEmpty == !allowed)
        }
        let desk = Fixture(allowsPrivate: true)
        desk.provider.publish(
            .text(#"{"issuer":"\#(issuer)","jwks_uri":"http://127.0.0.1:8081/keys"}"#),
            at: issuer + "/.well-known/openid-configuration")
        await #expect(throws: ProviderUnreachable.self) {
            try await desk.verify(token, of: Fixture.openID) { $0[Fixture.openID].openID?.issuer = issuer }
        }
    }

    @Test("needs an issuer in the settings")
    func unconfigured() async throws {
        let refusal = try await Fixture().refusal(of: openIDToken(), from: Fixture.openID) {
            $0[Fixture.openID].openID = nil
        }
        #expect(refusal == .notConfigured)
    }
}
