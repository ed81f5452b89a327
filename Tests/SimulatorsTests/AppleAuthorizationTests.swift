import Encoding
import JSON
import Simulators
import Testing

@Suite("Sign-ins at Apple's simulator")
struct AppleAuthorizationTests {
    let fixture: AppleFixture

    init() throws { fixture = try AppleFixture() }

    @Test("Only the first sign-in returns the field `user`, and the claim real_user_status in its identity token")
    func firstTime() throws {
        let first = try fixture.apple.authorize(.ada, client: AppleFixture.app, nonce: "n", state: "s")
        #expect(
            first.user
                == #"{"email":"ada.lovelace@example.com","name":{"firstName":"Ada","lastName":"Lovelace"}}"#)
        let claims = try fixture.claims(of: first.identityToken)
        #expect(claims["real_user_status"] == .integer(2))
        #expect(claims["c_hash"] == halfHash(first.authorizationCode))
        #expect(claims["nonce"] == .string("n"))
        #expect(first.formFields.map(\.name) == ["state", "code", "id_token", "user"])
        let second = try fixture.apple.authorize(.ada, client: AppleFixture.app)
        #expect(second.user == nil)
        #expect(second.formFields.map(\.name) == ["code", "id_token"])
        let later = try fixture.claims(of: second.identityToken)
        #expect(later["real_user_status"] == nil)
        #expect(later["email"] == claims["email"])
        #expect(later["sub"] == claims["sub"])
    }

    @Test("The first sign-in to another client of the same team returns the field `user` again, and the same subject")
    func otherClient() throws {
        let inApp = try fixture.apple.authorize(.ada, client: AppleFixture.app)
        let onSite = try fixture.apple.authorize(.ada, client: AppleFixture.site, redirectURI: AppleFixture.callback)
        #expect(onSite.user != nil)
        let claims = try fixture.claims(of: onSite.identityToken)
        #expect(try claims["sub"] == fixture.claims(of: inApp.identityToken)["sub"])
        #expect(claims["aud"] == .string(AppleFixture.site))
        #expect(claims["real_user_status"] == nil)
    }

    @Test(
        "The scopes of the first sign-in determine whether the name and the address are shared, then and later",
        arguments: [
            ([.name, .email], true, true), ([.name], true, false), ([.email], false, true), ([], false, false),
        ] as [(Set<AppleScope>, Bool, Bool)])
    func scopes(scopes: Set<AppleScope>, sharesName: Bool, sharesEmail: Bool) throws {
        let first = try fixture.apple.authorize(.ada, client: AppleFixture.app, scopes: scopes)
        #expect((first.user?.contains("Lovelace") ?? false) == sharesName)
        #expect((first.user?.contains("@") ?? false) == sharesEmail)
        #expect((first.user == nil) == scopes.isEmpty)
        let later = try fixture.apple.authorize(.ada, client: AppleFixture.app)
        for token in [first.identityToken, later.identityToken] {
            #expect(try (fixture.claims(of: token)["email"] != nil) == sharesEmail)
        }
    }

    @Test("The identity token and the field `user` have the relay address if the person hides the address")
    func relay() throws {
        let first = try fixture.apple.authorize(.grace, client: AppleFixture.app)
        let email = try #require(try fixture.claims(of: first.identityToken)["email"]?.text)
        #expect(email.hasSuffix("@privaterelay.appleid.com"))
        #expect(try #require(first.user).contains(email))
        #expect(try #require(first.user).contains("example.com") == false)
    }

    @Test("A sign-in is treated as the first again only after the same person has disconnected the same client")
    func disconnected() throws {
        _ = try fixture.apple.authorize(.ada, client: AppleFixture.app)
        fixture.apple.disconnect(.grace, from: AppleFixture.app)
        fixture.apple.disconnect(.ada, from: AppleFixture.site)
        #expect(try fixture.apple.authorize(.ada, client: AppleFixture.app).user == nil)
        fixture.apple.disconnect(.ada, from: AppleFixture.app)
        #expect(try fixture.apple.authorize(.ada, client: AppleFixture.app).user != nil)
    }

    @Test(
        "A sign-in is rejected for an unregistered client, and for a missing or unregistered redirect URI",
        arguments: [
            ("com.example.stranger", nil, .invalidClient), (AppleFixture.site, nil, .unauthorizedClient),
            (AppleFixture.site, "https://evil.example.com/", .unauthorizedClient),
            (AppleFixture.app, AppleFixture.callback, .unauthorizedClient),
        ] as [(String, String?, AppleRefusal.Code)])
    func refused(client: String, redirectURI: String?, code: AppleRefusal.Code) throws {
        let refusal = #expect(throws: AppleRefusal.self) {
            try fixture.apple.authorize(.ada, client: client, redirectURI: redirectURI)
        }
        #expect(refusal?.code == code)
    }

    @Test("Authorization codes are unique and have Apple's format")
    func codes() throws {
        let codes = try (0..<10).map { _ in
            try fixture.apple.authorize(.ada, client: AppleFixture.app).authorizationCode
        }
        #expect(Set(codes).count == 10)
        for code in codes {
            #expect(code.wholeMatch(of: #/c[0-9a-f]{32}\.0\.[a-z]{4,5}\.[A-Za-z0-9_-]{22}/#) != nil)
        }
    }
}
