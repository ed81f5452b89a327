import Crypto
import Encoding
import Identity
import JSON
import Providers
import Testing

@Suite("Identity tokens of Apple")
struct AppleTests {
    @Test("A token is accepted only if its claims are valid", arguments: ClaimRow.all)
    func claims(row: ClaimRow) async throws {
        let refusal = try await Fixture().refusal(of: appleToken(changing: row.changes))
        #expect(refusal == row.fault.map(ProviderRefusal.invalidToken))
    }

    @Test("The subject and the email address come from the token, and the name comes from the request")
    func identity() async throws {
        let name = PersonName(given: "Ada", family: "King")
        let token = try appleToken(changing: ["real_user_status": 2, "nonce": .string(sha256("raw"))])
        let identity = try await Fixture().verify(token, nonce: "raw", name: name)
        #expect(identity.provider == .apple)
        #expect(identity.subject == "001234.0123456789abcdef.0815")
        #expect(identity.audience == "com.example.app")
        #expect(identity.email == EmailAddress("ada@example.com"))
        #expect(identity.emailTrust == .authoritative)
        #expect(!identity.isPrivateEmail)
        #expect(identity.profile.name == name)
        #expect(identity.profile.displayName == "Ada King")
        #expect(identity.profile.photoURL == nil)
        #expect(identity.realUserStatus == 2)
        #expect(identity.nonce == "raw")
        #expect(
            try StrictJSON.decode(JSONValue.self, from: Array(identity.rawUserInfo.utf8)).member("real_user_status")
                == 2)
    }

    @Test("A claim that is null counts as absent", arguments: ["iss", "aud", "iat", "exp", "sub"])
    func null(name: String) async throws {
        let claims = try StrictJSON.decode(JSONObject.self, from: Array(appleClaimsText().utf8))
            .merging([ByteText(name): .null]) { $1 }
        let text = String(decoding: try StrictJSON.encode(claims), as: UTF8.self)
        let token = try appleToken(header: #"{"alg":"RS256","kid":"current"}"#, payload: text)
        #expect(try await Fixture().refusal(of: token) == .invalidToken(.claim(name)))
    }

    @Test("The name is not taken from the token")
    func nameless() async throws {
        let identity = try await Fixture().verify(appleToken(changing: ["name": "Eve", "given_name": "Eve"]))
        #expect(identity.profile.name == nil && identity.profile.displayName == nil)
    }

    struct EmailRow: CustomTestStringConvertible {
        let testDescription: String
        let changes: Changes
        /// The expected trust in the address. `authoritative` means that Apple knows who controls the mailbox.
        let trust: EmailTrust
        /// Whether the address is expected to count as a private relay address.
        var isPrivate = false
        /// The expected address.
        var email: String? = "ada@example.com"

        static let all = [
            EmailRow(testDescription: "verified", changes: [:], trust: .authoritative),
            EmailRow(testDescription: "verified, as text", changes: ["email_verified": "true"], trust: .authoritative),
            EmailRow(testDescription: "not verified", changes: ["email_verified": false], trust: .none),
            EmailRow(testDescription: "not verified, as text", changes: ["email_verified": "false"], trust: .none),
            EmailRow(testDescription: "no email_verified", changes: ["email_verified": .null], trust: .none),
            EmailRow(testDescription: "email_verified is 1", changes: ["email_verified": 1], trust: .none),
            EmailRow(testDescription: "email_verified is True", changes: ["email_verified": "True"], trust: .none),
            EmailRow(testDescription: "email_verified is [true]", changes: ["email_verified": [true]], trust: .none),
            EmailRow(testDescription: "no address", changes: ["email": .null], trust: .none, email: nil),
            EmailRow(testDescription: "not an address", changes: ["email": "ada"], trust: .none, email: nil),
            EmailRow(
                testDescription: "an address that is not a string", changes: ["email": ["a@b"]], trust: .none,
                email: nil),
            EmailRow(
                testDescription: "a relay address", changes: ["is_private_email": true], trust: .authoritative,
                isPrivate: true),
            EmailRow(
                testDescription: "a relay address, as text", changes: ["is_private_email": "true"],
                trust: .authoritative,
                isPrivate: true),
            EmailRow(
                testDescription: "not a relay address, as text", changes: ["is_private_email": "false"],
                trust: .authoritative),
            EmailRow(
                testDescription: "a relay address by its domain", changes: ["email": "X1@PrivateRelay.AppleID.com"],
                trust: .authoritative, isPrivate: true, email: "x1@privaterelay.appleid.com"),
            EmailRow(
                testDescription: "a relay address by its newer domain", changes: ["email": "x1@private.icloud.com"],
                trust: .authoritative, isPrivate: true, email: "x1@private.icloud.com"),
            EmailRow(
                testDescription: "a user's own address at iCloud", changes: ["email": "ada@icloud.com"],
                trust: .authoritative, email: "ada@icloud.com"),
            EmailRow(
                testDescription: "a domain that ends like the relay's",
                changes: ["email": "x@evilprivaterelay.appleid.com"],
                trust: .authoritative, email: "x@evilprivaterelay.appleid.com"),
            EmailRow(
                testDescription: "a relay address that is not verified",
                changes: ["is_private_email": true, "email_verified": false], trust: .none, isPrivate: true),
        ]
    }

    @Test(
        "An address is trusted only if email_verified is true; it is private if is_private_email or its domain says so",
        arguments: EmailRow.all)
    func email(row: EmailRow) async throws {
        let identity = try await Fixture().verify(appleToken(changing: row.changes))
        #expect(identity.email == row.email.flatMap(EmailAddress.init))
        #expect(identity.emailTrust == row.trust)
        #expect(identity.isPrivateEmail == row.isPrivate)
    }

    @Test(
        "Only Apple's three values of real_user_status are kept",
        arguments: [(0, 0), (1, 1), (2, 2), (3, nil), (-1, nil), ("2", nil), (true, nil)] as [(JSONValue, Int?)])
    func realUserStatus(claim: JSONValue, status: Int?) async throws {
        let identity = try await Fixture().verify(appleToken(changing: ["real_user_status": claim]))
        #expect(identity.realUserStatus == status)
    }

    @Test("If the app lists its own client IDs for Apple, the token must be for one of them")
    func appAudiences() async throws {
        let fixture = Fixture()
        var app = AppSettings()
        app.clientIDs = ["apple.com": ["com.example.web"]]
        let web = try appleToken(changing: ["aud": "com.example.web"])
        #expect(try await fixture.verify(web, app: app).audience == "com.example.web")
        #expect(
            try await fixture.refusal(of: appleToken(), app: app)
                == .invalidToken(.audience(expected: ["com.example.web"], seen: ["com.example.app"])))
        #expect(
            try await fixture.refusal(
                of: appleToken(changing: ["aud": "com.example.web", "azp": "com.example.app"]), app: app) == nil)
        app.clientIDs = ["google.com": ["web.apps.example"]]
        #expect(try await fixture.refusal(of: appleToken(), app: app) == nil)
        app.clientIDs = ["apple.com": []]
        #expect(
            try await fixture.refusal(of: appleToken(), app: app)
                == .invalidToken(.audience(expected: [], seen: ["com.example.app"])))
    }

    @Test("A request is rejected if it has no token, or if its provider is not configured or not supported")
    func settings() async throws {
        let fixture = Fixture()
        let token = try appleToken()
        #expect(try await fixture.refusal(of: token) { $0.providers = [] } == .notConfigured)
        #expect(try await fixture.refusal(of: nil) == .credentialMissing)
        #expect(try await fixture.refusal(of: "") == .credentialMissing)
        #expect(try await fixture.refusal(of: token, from: ProviderID("facebook.com")) == .notConfigured)
        let unsupported = ProviderSettings(provider: ProviderID("facebook.com"), isEnabled: true, clientIDs: ["x"])
        #expect(
            try await fixture.refusal(of: token, from: unsupported.provider) { $0.providers.append(unsupported) }
                == .notConfigured
        )
    }
}

/// Returns the SHA-256 in lower-case hexadecimal, without the hexadecimal encoder of the code under test.
func sha256(_ text: String) -> String {
    Digest.sha256(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

extension JSONValue {
    func member(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[ByteText(name)]
    }
}
