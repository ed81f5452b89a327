import Crypto
import Encoding
import JOSE
import JSON
import Simulators
import Testing

@Suite("Identity tokens of Apple's simulator")
struct AppleTokenTests {
    let fixture: AppleFixture

    init() throws { fixture = try AppleFixture() }

    @Test("An identity token has Apple's header and claims")
    func plain() throws {
        let now = fixture.clock.now
        let token = try fixture.apple.identityToken(for: .ada, audience: AppleFixture.app, nonce: "6e6f6e6365")
        let keyID = try #require(UnverifiedJWS(parsing: token).keyID)
        #expect(keyID.count == 10)
        #expect(try header(of: token) == #"{"kid":"\#(keyID)","alg":"RS256"}"#)
        let expected: Claims = [
            "iss": .string("https://appleid.apple.com"), "aud": .string(AppleFixture.app),
            "sub": .string(SimulatedApple.subject(of: .ada, in: AppleFixture.team)), "iat": .integer(now),
            "exp": .integer(now + 86_400), "auth_time": .integer(now), "nonce": .string("6e6f6e6365"),
            "nonce_supported": .bool(true), "email": .string("ada.lovelace@example.com"),
            "email_verified": .bool(true),
        ]
        #expect(try fixture.claims(of: token) == expected)
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var person = SimulatedPerson.ada
        var quirk: @Sendable (inout AppleQuirks) -> Void = { _ in }
        /// The expected claims. `null` means that a claim must be absent.
        let expected: Claims
    }

    @Test(
        "A token has the claims of the chosen person and quirk",
        arguments: [
            Row(
                testDescription: "strings for booleans, except nonce_supported", person: .grace,
                quirk: { $0.booleansAreStrings = true },
                expected: [
                    "email_verified": .string("true"), "is_private_email": .string("true"),
                    "nonce_supported": .bool(true),
                ]),
            Row(
                testDescription: "relay address", person: .grace,
                expected: ["email_verified": .bool(true), "is_private_email": .bool(true)]),
            Row(
                testDescription: "relay address without is_private_email", person: .grace,
                quirk: { $0.marksPrivateEmail = false },
                expected: ["email_verified": .bool(true), "is_private_email": .null]),
            Row(
                testDescription: "managed account", person: .alan,
                expected: [
                    "email": .null, "email_verified": .null, "is_private_email": .null,
                    "org_id": .string("example-school"),
                ]),
            Row(
                testDescription: "unverified address", person: .ada.with { $0.emailIsVerified = false },
                expected: ["email_verified": .bool(false)]),
            Row(
                testDescription: "nonce not supported", quirk: { $0.supportsNonce = false },
                expected: ["nonce": .null, "nonce_supported": .bool(false)]),
            Row(
                testDescription: "a lifetime of ten minutes", quirk: { $0.identityTokenLifetime = 600 },
                expected: ["exp": .integer(TestClock.start + 600)]),
            Row(
                testDescription: "another issuer", quirk: { $0.issuer = "https://account.apple.com" },
                expected: ["iss": .string("https://account.apple.com")]),
            Row(
                testDescription: "no claims of a first sign-in, a code, an access token or a transfer",
                expected: ["real_user_status": .null, "c_hash": .null, "at_hash": .null, "transfer_sub": .null]),
        ])
    func quirks(row: Row) throws {
        row.quirk(&fixture.apple.quirks)
        let token = try fixture.apple.identityToken(for: row.person, audience: AppleFixture.app, nonce: "n")
        let claims = try fixture.claims(of: token)
        for (name, value) in row.expected { #expect(claims[name] ?? .null == value, "\(name)") }
    }

    @Test("A token has no nonce if the request had none")
    func noNonce() throws {
        let claims = try fixture.claims(of: fixture.apple.identityToken(for: .ada, audience: AppleFixture.app))
        #expect(claims["nonce"] == nil)
    }

    @Test(
        "On both relay domains, a person has one relay address within a team, and another address in another team",
        arguments: AppleQuirks.RelayDomain.allCases)
    func relay(domain: AppleQuirks.RelayDomain) throws {
        fixture.apple.quirks.relayDomain = domain
        func email(_ client: String) throws -> String? {
            try fixture.claims(of: fixture.apple.identityToken(for: .grace, audience: client))["email"]?.text
        }
        let address = try #require(try email(AppleFixture.app))
        #expect(address.wholeMatch(of: #/[0-9a-z]{10}@[a-z.]+/#) != nil)
        #expect(address.hasSuffix("@\(domain.rawValue)"))
        #expect(try email(AppleFixture.site) == address)
        #expect(try email("com.example.of.another.team") != address)
    }

    @Test("A person has one subject in each team, of six digits, 32 hexadecimal digits and four digits")
    func subjects() throws {
        let subjects = ["TEAM123456", "TEAM654321"].flatMap { team in
            [SimulatedPerson.ada, .grace].map { SimulatedApple.subject(of: $0, in: team) }
        }
        #expect(Set(subjects).count == 4)
        for subject in subjects { #expect(subject.wholeMatch(of: #/\d{6}\.[0-9a-f]{32}\.\d{4}/#) != nil) }
        let secondSimulator = try AppleFixture()
        let token = try secondSimulator.apple.identityToken(for: .ada, audience: AppleFixture.site)
        #expect(try secondSimulator.claims(of: token)["sub"]?.text == subjects[0])
    }

    @Test("A token contains transfer_sub for sixty days after its app moved to another team")
    func transfer() throws {
        fixture.apple.transfer(AppleFixture.app, to: "NEWTEAM001")
        func claimsNow() throws -> Claims {
            try fixture.claims(of: fixture.apple.identityToken(for: .ada, audience: AppleFixture.app))
        }
        #expect(try claimsNow()["sub"]?.text == SimulatedApple.subject(of: .ada, in: "NEWTEAM001"))
        #expect(try claimsNow()["transfer_sub"]?.text != nil)
        fixture.clock.advance(by: 60 * 86_400)
        #expect(try claimsNow()["transfer_sub"] == nil)
    }

    @Test("A test can give a token a wrong signature, header or claim")
    func changes() throws {
        func expectRejected(_ fault: JWSFault, _ change: (inout TokenDraft) -> Void) throws {
            let token = try fixture.apple.identityToken(for: .ada, audience: AppleFixture.app, changing: change)
            #expect(throws: fault) { try fixture.claims(of: token) }
        }
        let otherKey = try PrivateKey.generate(.rs256)
        try expectRejected(.signatureInvalid) { $0.signature = .altered }
        try expectRejected(.signatureInvalid) { $0.signature = .by(otherKey) }
        try expectRejected(.malformed) { $0.signature = .missing }
        try expectRejected(.algorithmNotAllowed) { $0.algorithm = "HS256" }
        try expectRejected(.keyMismatch) { $0.algorithm = "ES256" }
        let token = try fixture.apple.identityToken(for: .ada, audience: AppleFixture.app) {
            $0.keyID = nil
            $0.type = "JWT"
            $0.claims["iss"] = .string("https://appleid.example.com")
        }
        #expect(try header(of: token) == #"{"alg":"RS256","typ":"JWT"}"#)
        #expect(try UnverifiedJWS(parsing: token).unverifiedIssuer == "https://appleid.example.com")
    }

    @Test(
        "A rotation keeps or removes the old keys as requested, and new tokens are signed with a new key",
        arguments: [true, false])
    func rotation(keepingOld: Bool) throws {
        let served = try fixture.apple.servedKeys(at: SimulatedApple.keysPath)
        #expect(served == fixture.apple.jwks)
        #expect(Set(served.keys.map(\.kid)).count == 3)
        #expect(served.keys.allSatisfy { $0.kty == "RSA" && $0.use == "sig" && $0.alg == "RS256" && $0.e == "AQAB" })
        let old = try fixture.apple.identityToken(for: .ada, audience: AppleFixture.app)
        try fixture.apple.rotateKeys(keepingOld: keepingOld)
        let new = try fixture.apple.identityToken(for: .ada, audience: AppleFixture.app)
        #expect(try fixture.claims(of: new)["sub"] != nil)
        #expect(!served.keys.map(\.kid).contains(try UnverifiedJWS(parsing: new).keyID))
        #expect(fixture.apple.jwks.keys.count == (keepingOld ? 4 : 1))
        #expect(fixture.apple.jwks.keys.contains { $0.kid == (try? UnverifiedJWS(parsing: old).keyID) } == keepingOld)
    }
}
