import Encoding
import Identity
import JSON
import Providers
import Testing

@Suite("ID tokens of Google")
struct GoogleTests {
    private let clientIDs = ["web.apps.example", "ios.apps.example"]

    @Test(
        "Google's issuer may be written in either of two ways",
        arguments: ["https://accounts.google.com", "accounts.google.com"])
    func issuers(issuer: String) async throws {
        let token = try googleToken(changing: ["iss": .string(issuer)])
        #expect(try await Fixture().refusal(of: token, from: .google) == nil)
    }

    @Test(
        "Another issuer is rejected",
        arguments: ["https://accounts.google.com/", "https://appleid.apple.com", "google.com"])
    func otherIssuers(issuer: String) async throws {
        let token = try googleToken(changing: ["iss": .string(issuer)])
        let expected = ["https://accounts.google.com", "accounts.google.com"]
        #expect(
            try await Fixture().refusal(of: token, from: .google)
                == .invalidToken(.issuer(expected: expected, seen: issuer)))
    }

    @Test("A token may be requested by another client of the project, but not by a foreign client")
    func authorizedParty() async throws {
        let fixture = Fixture()
        #expect(try await fixture.verify(googleToken(), of: .google).audience == "web.apps.example")
        let foreign = try googleToken(changing: ["azp": "stranger.apps.example"])
        #expect(
            try await fixture.refusal(of: foreign, from: .google)
                == .invalidToken(
                    .authorizedParty(expected: clientIDs, seen: "stranger.apps.example")))
    }

    struct EmailRow: CustomTestStringConvertible {
        let testDescription: String
        let changes: Changes
        /// The expected trust in the address. `authoritative` means that Google runs the mailbox; `verified` means that
        /// the user once proved control of it.
        let trust: EmailTrust
        /// The expected trust if the policy trusts Google for every domain.
        let wideTrust: EmailTrust

        init(_ testDescription: String, _ changes: Changes, _ trust: EmailTrust, wide wideTrust: EmailTrust? = nil) {
            self.testDescription = testDescription
            self.changes = changes
            self.trust = trust
            self.wideTrust = wideTrust ?? trust
        }

        static let all = [
            EmailRow("a domain that Google does not host, verified", [:], .verified, wide: .authoritative),
            EmailRow("verified, as text", ["email_verified": "true"], .verified, wide: .authoritative),
            EmailRow("a domain that Google does not host, not verified", ["email_verified": false], .none),
            EmailRow("no email_verified", ["email_verified": .null], .none),
            EmailRow("an invalid email_verified", ["email_verified": 1], .none),
            EmailRow("Gmail", ["email": "Ada@Gmail.com"], .authoritative),
            EmailRow("Gmail, no email_verified", ["email": "ada@gmail.com", "email_verified": .null], .authoritative),
            EmailRow("Gmail, not verified", ["email": "ada@gmail.com", "email_verified": false], .none),
            EmailRow("Gmail, not verified, as text", ["email": "ada@gmail.com", "email_verified": "false"], .none),
            EmailRow("Gmail, an invalid email_verified", ["email": "ada@gmail.com", "email_verified": "yes"], .none),
            EmailRow("a domain that ends like Gmail's", ["email": "ada@notgmail.com"], .verified, wide: .authoritative),
            EmailRow("a subdomain of Gmail", ["email": "ada@x.gmail.com"], .verified, wide: .authoritative),
            EmailRow("Workspace", ["hd": "example.com"], .authoritative),
            EmailRow("Workspace, not verified", ["hd": "example.com", "email_verified": false], .none),
            EmailRow("Workspace, no email_verified", ["hd": "example.com", "email_verified": .null], .none),
            EmailRow("an empty hd", ["hd": ""], .verified, wide: .authoritative),
            EmailRow("an hd that is not a host name", ["hd": "example com"], .verified, wide: .authoritative),
            EmailRow("an hd that is not a string", ["hd": true], .verified, wide: .authoritative),
            EmailRow("no address", ["email": .null, "hd": "example.com"], .none),
        ]
    }

    @Test(
        "The trust in an address depends on email_verified, and on whether Google hosts the domain",
        arguments: EmailRow.all)
    func email(row: EmailRow) async throws {
        let fixture = Fixture()
        let token = try googleToken(changing: row.changes)
        #expect(try await fixture.verify(token, of: .google).emailTrust == row.trust)
        let wide = try await fixture.verify(token, of: .google) { $0.policy.trustsGoogleForEveryDomain = true }
        #expect(wide.emailTrust == row.wideTrust)
        #expect(!wide.isPrivateEmail)
    }

    @Test("The user's profile is read from the token")
    func profile() async throws {
        let identity = try await Fixture().verify(googleToken(), of: .google)
        #expect(identity.subject == "1081510815")
        #expect(identity.profile.name == PersonName(given: "Ada", family: "King"))
        #expect(identity.profile.displayName == "Ada King")
        #expect(identity.profile.photoURL?.rawValue == "https://lh3.googleusercontent.com/a/ada=s96-c")
        let info = try StrictJSON.decode(JSONValue.self, from: Array(identity.rawUserInfo.utf8))
        #expect(
            info == [
                "granted_scopes": "", "id": "1081510815", "name": "Ada King", "given_name": "Ada",
                "family_name": "King", "verified_email": true, "locale": "en", "email": "ada@example.com",
                "picture": "https://lh3.googleusercontent.com/a/ada=s96-c",
            ])
    }

    @Test("A token without a profile is accepted")
    func bare() async throws {
        let names = ["email", "email_verified", "name", "given_name", "family_name", "picture", "locale", "azp", "nbf"]
        let token = try googleToken(changing: Dictionary(uniqueKeysWithValues: names.map { (ByteText($0), .null) }))
        let identity = try await Fixture().verify(token, of: .google)
        #expect(identity.email == nil && identity.profile.name == nil && identity.profile.displayName == nil)
        let info = try StrictJSON.decode(JSONValue.self, from: Array(identity.rawUserInfo.utf8))
        #expect(info == ["granted_scopes": "", "id": "1081510815"])
    }

    /// The last two URLs have 2048 and 2049 bytes.
    @Test(
        "A picture is kept only if its URL is safe and has at most 2048 bytes",
        arguments: [
            ("https://a.example/b?c=d#e", true), ("http://a.example/b", false), ("javascript:alert(1)", false),
            ("data:image/png;base64,AA", false), ("https://a.example/\"onload=", false),
            ("https://a.example/<b>", false),
            ("https://a.example/ b", false), ("https://a.example/é", false), ("//a.example", false), ("", false),
            ("https://a.example/" + String(repeating: "b", count: 2030), true),
            ("https://a.example/" + String(repeating: "b", count: 2031), false),
        ])
    func picture(url: String, isKept: Bool) async throws {
        let identity = try await Fixture().verify(googleToken(changing: ["picture": .string(url)]), of: .google)
        #expect(identity.profile.photoURL?.rawValue == (isKept ? url : nil))
    }

    @Test("Control and formatting characters in names become spaces, and names are truncated to 100 characters")
    func names() async throws {
        let token = try googleToken(changing: [
            "name": .string("\u{202E}Ada\n" + String(repeating: "x", count: 500)), "given_name": "A\u{0007}da",
            "family_name": "   ",
        ])
        let identity = try await Fixture().verify(token, of: .google)
        #expect(identity.profile.displayName == "Ada " + String(repeating: "x", count: 96))
        #expect(identity.profile.name == PersonName(given: "A da", family: nil))
    }
}
