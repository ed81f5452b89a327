import Encoding
import Identity
import Simulators
import Testing

@testable import DevMode
@testable import Gateway
@testable import Support

@Suite("Fake credentials of providers", .serialized)
struct FakeCredentialTests {
    static let ada: JSON = ["sub": "abc", "email": "ada@example.com", "email_verified": true, "name": "Ada Lovelace"]

    /// Makes credentials without a signature, which Firebase's emulator accepts.
    struct Fake: CustomTestStringConvertible, Sendable {
        let provider: String
        /// Whether the token consists of JSON claims only; otherwise it is an unsigned JWT.
        let isBare: Bool
        var testDescription: String { "\(provider), \(isBare ? "bare claims" : "unsigned JWT")" }

        init(_ provider: String, isBare: Bool) {
            (self.provider, self.isBare) = (provider, isBare)
        }

        func credential(_ claims: JSON = ada) throws -> ProviderCredential {
            let bytes = try claims.bytes
            let header = Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
            let token =
                isBare ? String(decoding: bytes, as: UTF8.self) : "\(header).\(Base64URL.encode(bytes))."
            return ProviderCredential(provider: provider, idToken: token, rawNonce: "ignored")
        }
    }

    static let fakes = ["apple.com", "google.com", "facebook.com", "github.com", "playgames.google.com"].flatMap {
        [Fake($0, isBare: true), Fake($0, isBare: false)]
    }

    private func devGateway() async throws -> TestGateway {
        try await TestGateway(mode: .emulator(project: ID("demo")))
    }

    @Test("A fake credential signs in to the same account each time in dev mode", arguments: fakes)
    func dev(fake: Fake) async throws {
        let gateway = try await devGateway()
        let first = try await gateway.signIn(fake.credential())
        #expect(first.outcome == "200")
        #expect(first.json["isNewUser"] == true)
        #expect(first.json["displayName"] == "Ada Lovelace")
        #expect(first.json["emailVerified"] == true)
        let again = try await gateway.signIn(fake.credential())
        #expect(again.json["localId"] == first.json["localId"])
        let user = try await gateway.accountSeenByUser(try #require(again.json["idToken"]?.string))
        #expect(user["providerUserInfo"]?[0]?["providerId"]?.string == fake.provider)
        #expect(user["providerUserInfo"]?[0]?["rawId"] == "abc")
        #expect(user["emailVerified"] == true)
    }

    @Test("Claims in place of an access token are accepted in dev mode only, and other access tokens in no mode")
    func accessToken() async throws {
        func signIn(_ gateway: TestGateway, _ token: String, _ provider: String) async throws -> Exchange {
            let postBody = "access_token=\(token.percentEncoded)&providerId=\(provider)"
            return try await gateway.signInWithIdp([
                "postBody": .string(postBody), "requestUri": "http://localhost", "returnSecureToken": true,
            ])
        }
        let (dev, serve) = (try await devGateway(), try await TestGateway())
        let claims = #"{"sub":"abc","email":"ada@example.com"}"#
        let first = try await signIn(dev, claims, "facebook.com")
        #expect(first.json["isNewUser"] == true, "\(first.text)")
        #expect(try await signIn(dev, claims, "facebook.com").json["localId"] == first.json["localId"])
        #expect(
            try await signIn(serve, claims, "google.com").outcome
                == "501 OPERATION_NOT_ALLOWED : Sign-in with an access token alone is not implemented.")
        #expect(try await signIn(serve, claims, "facebook.com").wireCode == "OPERATION_NOT_ALLOWED")
        #expect(try await signIn(dev, "EAAB", "google.com").status == 501)
        #expect(try await serve.accountCount() == 0)
    }

    @Test("Fake credentials are rejected in production", arguments: fakes)
    func production(fake: Fake) async throws {
        let gateway = try await TestGateway()
        let answer = try await gateway.signIn(fake.credential())
        #expect(answer.status == 400)
        // Apple and Google are configured, so their tokens are verified. The other providers are not configured.
        #expect(
            answer.wireCode
                == (fake.provider.hasPrefix("apple") || fake.provider.hasPrefix("google")
                    ? "INVALID_IDP_RESPONSE" : "OPERATION_NOT_ALLOWED"))
        #expect(try await gateway.accountCount() == 0)
    }

    struct InvalidRow: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let credential: ProviderCredential
        /// The expected wire code.
        let expected: String

        init(_ description: String, _ provider: String, _ idToken: String, _ expected: String) {
            testDescription = description
            credential = ProviderCredential(provider: provider, idToken: idToken)
            self.expected = expected
        }
    }

    @Test(
        "Invalid credentials are rejected in dev mode too",
        arguments: [
            InvalidRow("no subject", "google.com", "{}", "INVALID_IDP_RESPONSE"),
            InvalidRow("an empty subject", "google.com", #"{"sub":""}"#, "INVALID_IDP_RESPONSE"),
            InvalidRow("a number for a subject", "apple.com", #"{"sub":1}"#, "INVALID_IDP_RESPONSE"),
            InvalidRow("not JSON", "apple.com", "{sub", "INVALID_IDP_RESPONSE"),
            InvalidRow("neither JSON nor a JWT", "apple.com", "nonsense", "INVALID_IDP_RESPONSE"),
            InvalidRow("a signed JWT without an algorithm", "google.com", "e30.e30.AAAA", "INVALID_IDP_RESPONSE"),
            InvalidRow(
                "alg none and a signature", "google.com", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.AAAA",
                "INVALID_IDP_RESPONSE"),
            InvalidRow(
                "neither JSON nor a JWT, for a provider that is only faked", "facebook.com", "nonsense",
                "OPERATION_NOT_ALLOWED"),
            InvalidRow("a provider that has to be configured", "oidc.corp", #"{"sub":"a"}"#, "OPERATION_NOT_ALLOWED"),
            InvalidRow("not a provider", "password", #"{"sub":"a"}"#, "OPERATION_NOT_ALLOWED"),
            InvalidRow("SAML", "saml.corp", #"{"sub":"a"}"#, "OPERATION_NOT_ALLOWED"),
        ])
    func refused(row: InvalidRow) async throws {
        let answer = try await devGateway().signIn(row.credential)
        #expect(answer.status == 400)
        #expect(answer.wireCode == row.expected, "\(answer.text)")
    }

    @Test("Signed credentials are verified in dev mode too")
    func signed() async throws {
        let gateway = try await devGateway()
        #expect(try await gateway.signIn(gateway.appleCredential()).outcome == "200")
        let forged = try gateway.googleCredential { $0.signature = .altered }
        #expect(try await gateway.signIn(forged).status == 400)
    }

    @Test("A fake credential verifies an address only if email_verified is true", arguments: [nil, false, true])
    func verified(isVerified: Bool?) async throws {
        let gateway = try await devGateway()
        let owner = try await gateway.signUp(email: "ada@example.com")
        var claims: JSON = ["sub": "abc", "email": "ada@example.com"]
        if let isVerified { claims = ["sub": "abc", "email": "ada@example.com", "email_verified": .bool(isVerified)] }
        let answer = try await gateway.signIn(Fake("facebook.com", isBare: true).credential(claims))
        #expect(answer.json["localId"]?.string == owner.localId)
        #expect(answer.json["needConfirmation"] == (isVerified == true ? nil : .bool(true)))
        #expect((answer.json["idToken"] != nil) == (isVerified == true))
    }

    @Test("The response for a fake Google credential has the emulator's rawUserInfo")
    func rawUserInfo() async throws {
        let answer = try await devGateway().signIn(Fake("google.com", isBare: true).credential())
        let info = try JSON(Array(try #require(answer.json["rawUserInfo"]?.string).utf8))
        #expect(
            info == [
                "granted_scopes":
                    "openid https://www.googleapis.com/auth/userinfo.profile https://www.googleapis.com/auth/userinfo.email",
                "id": "abc", "name": "Ada Lovelace", "email": "ada@example.com", "verified_email": true, "locale": "en",
            ])
        #expect(answer.json["federatedId"] == "https://accounts.google.com/abc")
    }
}
