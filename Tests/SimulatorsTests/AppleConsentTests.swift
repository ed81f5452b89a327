import Encoding
import HTTP
import JSON
import Simulators
import Testing

@Suite("Apple's consent page")
struct AppleConsentTests {
    static let loopbackURL = "http://127.0.0.1:9099/__/auth/handler"

    let fixture: AppleFixture

    init() throws { fixture = try AppleFixture() }

    /// A valid request of the web flow.
    static let request: [String: String?] = [
        "client_id": AppleFixture.site, "redirect_uri": AppleFixture.callback, "response_type": "code id_token",
        "response_mode": "form_post", "scope": "name email", "state": "state-1", "nonce": "nonce-1",
    ]

    /// Requests the page with `changes` to the valid request. `nil` omits a parameter.
    private func page(_ changes: [String: String?] = [:], language: String = "en") throws -> Response {
        try fixture.apple.get(
            SimulatedApple.authorizationPath, Self.request.merging(changes) { $1 },
            headers: ["Accept-Language": language])
    }

    /// Posts a form of the page with the fields of the person's decision.
    private func decide(_ decision: [String: String?], _ changes: [String: String?] = [:]) throws -> Response {
        try fixture.apple.post(
            SimulatedApple.authorizationPath, Self.request.merging(changes) { $1 }.merging(decision) { $1 })
    }

    /// Redeems a code as the website. `changes` are fields that differ from a valid request.
    private func redeem(_ code: String?, _ changes: [String: String?] = [:]) throws -> Response {
        try fixture.redeem(
            code ?? "",
            [
                "client_id": AppleFixture.site, "client_secret": fixture.secret(for: AppleFixture.site),
                "redirect_uri": AppleFixture.callback,
            ].merging(changes) { $1 })
    }

    @Test("The page names the client and the redirect URI, offers people, and repeats the request in its forms")
    func shown() throws {
        let page = try page()
        #expect(page.status == 200)
        for text in [AppleFixture.site, AppleFixture.callback, "Ada Lovelace", "grace.hopper@example.com", "Cancel"] {
            #expect(page.text.contains(text), "\(text)")
        }
        #expect(page.hiddenFields == Self.request.compactMapValues(\.self))
        #expect(page.text.contains("<script") == false)
        #expect(page.headers["Content-Security-Policy"]?.contains("script-src") == false)
    }

    @Test(
        "The page is in Japanese if Accept-Language has Japanese before English",
        arguments: [("ja,en;q=0.8", "ja"), ("en-GB,ja", "en"), ("fr-FR, ja-JP;q=0.5", "ja"), ("fr", "en"), ("", "en")])
    func language(accepted: String, language: String) throws {
        let page = try page(language: accepted)
        #expect(page.headers["Content-Language"] == language)
        #expect(page.text.contains("ユーザーを選ぶ") == (language == "ja"))
    }

    @Test("Consent posts the code, the ID token, the state and, the first time, the field `user` to the redirect URI")
    func consent() throws {
        let response = try decide(["simulated_person": "ada.lovelace"])
        #expect(response.text.contains(#"<form method="post" action="\#(AppleFixture.callback)">"#))
        #expect(response.text.contains("<button type=\"submit\">"))
        #expect(Set(response.hiddenFields.keys) == ["code", "id_token", "state", "user"])
        #expect(response.hiddenFields["state"] == "state-1")
        let claims = try fixture.claims(of: try #require(response.hiddenFields["id_token"]))
        #expect(claims["nonce"] == .string("nonce-1"))
        #expect(claims["email"] == .string("ada.lovelace@example.com"))
        #expect(claims["real_user_status"] == nil)
        #expect(try redeem(response.hiddenFields["code"]).outcome == "200")
        let second = try decide(["simulated_person": "ada.lovelace"])
        #expect(Set(second.hiddenFields.keys) == ["code", "id_token", "state"])
    }

    @Test("The first choice to hide or share the address is kept until the person disconnects")
    func hidden() throws {
        func email(hiding hide: String?) throws -> String? {
            let decision = ["simulated_person": "ada.lovelace", "simulated_hide_email": hide]
            return try fixture.claims(of: decide(decision).hiddenFields["id_token"] ?? "")["email"]?.text
        }
        let relay = try #require(try email(hiding: "true"))
        #expect(relay.hasSuffix("@privaterelay.appleid.com"))
        #expect(try email(hiding: nil) == relay)
        #expect(try page().text.contains("hides the address"))
        fixture.apple.disconnect(.ada, from: AppleFixture.site)
        #expect(try email(hiding: nil) == "ada.lovelace@example.com")
        #expect(try email(hiding: "true") == "ada.lovelace@example.com")
    }

    @Test("A person whose name and address are entered on the page is offered there afterwards")
    func newPerson() throws {
        let decision = [
            "simulated_email": "New@Example.com", "simulated_given_name": "<b>", "simulated_family_name": "Person",
        ]
        let response = try decide(decision)
        #expect(response.text.contains("New@Example.com"))
        let page = try page().text
        #expect(page.contains("&lt;b&gt; Person"))
        #expect(page.contains("<b>") == false)
        let subject = try fixture.claims(of: response.hiddenFields["id_token"] ?? "")["sub"]
        let again = try decide(["simulated_email": "new@example.com"])
        #expect(try fixture.claims(of: again.hiddenFields["id_token"] ?? "")["sub"] == subject)
    }

    @Test(
        "The page is shown again if the address of a new person is not valid",
        arguments: ["", "x", "x@", "a b@example.com"])
    func invalidEmail(address: String) throws {
        let response = try decide(["simulated_email": address, "simulated_given_name": "Kay"])
        #expect(response.status == 400)
        #expect(response.text.contains("not a valid email address"))
        #expect(response.text.contains(#"value="Kay""#))
    }

    @Test("A request that names a person skips the page")
    func skipped() throws {
        let response = try page(["simulated_person": "someone@example.com"])
        let claims = try fixture.claims(of: response.hiddenFields["id_token"] ?? "")
        #expect(claims["email"] == .string("someone@example.com"))
    }

    @Test("Cancelling posts user_cancelled_authorize and the state")
    func cancelled() throws {
        let response = try decide(["simulated_outcome": "cancelled"])
        #expect(response.hiddenFields == ["error": "user_cancelled_authorize", "state": "state-1"])
    }

    @Test("The field simulated_outcome selects a response with a used code, another state or another nonce")
    func chosenErrors() throws {
        let used = try decide(["simulated_outcome": "used_code"]).hiddenFields
        #expect(try redeem(used["code"]).outcome == "400 invalid_grant")
        let state = try decide(["simulated_outcome": "other_state"]).hiddenFields
        #expect(state["state"] != "state-1")
        let nonce = try decide(["simulated_outcome": "other_nonce"]).hiddenFields
        #expect(try fixture.claims(of: nonce["id_token"] ?? "")["nonce"] != .string("nonce-1"))
    }

    @Test("The page that returns to the app allows only its own script")
    func scriptPolicy() throws {
        let response = try decide(["simulated_person": "ada.lovelace"])
        let policy = try #require(response.headers["Content-Security-Policy"])
        #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'sha256-"))
        #expect(policy.contains("unsafe-inline") == false)
        #expect(response.headers["Cross-Origin-Opener-Policy"] == nil)
        #expect(response.headers["Cache-Control"] == "no-store")
    }

    @Test("Without scopes, the response can be a redirect, with the parameters in its query or its fragment")
    func redirects() throws {
        let changes: [String: String?] = ["scope": nil, "response_type": "code", "response_mode": "query"]
        let query = try decide(["simulated_person": "ada.lovelace"], changes)
        #expect(query.status == 303)
        #expect(try Set(query.locationParameters(at: AppleFixture.callback).keys) == ["code", "state"])
        let fragment = try decide(
            ["simulated_person": "ada.lovelace"], ["scope": nil, "response_mode": "fragment"])
        #expect(
            try Set(fragment.locationParameters(at: AppleFixture.callback, separator: "#").keys)
                == ["code", "id_token", "state"])
    }

    @Test(
        "A request that Apple rejects gets an error page and no redirect",
        arguments: [
            (["client_id": nil], "invalid_request"), (["client_id": "com.example.stranger"], "invalid_client"),
            (["client_id": AppleFixture.app], "unauthorized_client"), (["redirect_uri": nil], "invalid_request"),
            (["redirect_uri": AppleFixture.callback + "/"], "unauthorized_client"),
            (["redirect_uri": AppleFixture.callback + "?x=y"], "unauthorized_client"),
            (["redirect_uri": loopbackURL], "unauthorized_client"),
            (["redirect_uri": "javascript:alert(1)"], "invalid_request"),
            (["redirect_uri": AppleFixture.callback + "#x"], "invalid_request"),
            (["response_type": nil], "invalid_request"), (["response_type": "id_token"], "invalid_request"),
            (["response_mode": nil], "invalid_request"), (["response_mode": "query"], "invalid_request"),
            (["response_mode": "query", "scope": nil], "invalid_request"),
            (["response_mode": "web_message"], "invalid_request"), (["scope": "phone"], "invalid_scope"),
        ] as [([String: String?], String)])
    func rejected(changes: [String: String?], code: String) throws {
        for response in [try page(changes), try decide(["simulated_person": "ada.lovelace"], changes)] {
            #expect(response.status == 400)
            #expect(response.text.contains("<dd>\(code)</dd>"))
            #expect(response.headers["Location"] == nil && response.hiddenFields.isEmpty)
        }
    }

    @Test(
        "A code is redeemed once, and only by its client and with its redirect URI",
        arguments: [
            ([:], "200"), (["redirect_uri": nil], "400 invalid_grant"),
            (["redirect_uri": "https://auth.example.com/"], "400 invalid_grant"),
        ] as [([String: String?], String)])
    func bound(changes: [String: String?], outcome: String) throws {
        let code = try decide(["simulated_person": "ada.lovelace"]).hiddenFields["code"]
        #expect(try fixture.redeem(code ?? "").outcome == "400 invalid_grant", "the client is the app, not the website")
        #expect(try redeem(code, changes).outcome == outcome)
        if outcome == "200" { #expect(try redeem(code).outcome == "400 invalid_grant", "the code is used") }
    }

    @Test(
        "With the rules of dev mode, a redirect URI must be registered, configured or on this machine",
        arguments: [
            (loopbackURL, true), ("http://localhost:3000/callback", true), ("https://app.localhost/", true),
            ("http://[::1]:80/x", true), ("https://added.example.com/cb", true), ("https://added.example.com/", false),
            ("https://localhost.example.com/", false), ("http://127.0.0.1.example.com/", false),
            ("http://127.0.0.1@example.com/", false), ("http://localhost\\.example.com/", false),
            (AppleFixture.callback, true),
        ])
    func loopback(uri: String, isAccepted: Bool) throws {
        fixture.apple.redirectURIs = RedirectURIRule(
            unregistered: .loopback, additional: ["https://added.example.com/cb"])
        let response = try page(["redirect_uri": uri])
        #expect((response.status == 200) == isAccepted)
        let warns = response.text.contains("The real Apple requires")
        let isOnThisMachine = !uri.contains("example.com")
        #expect(warns == (isAccepted && isOnThisMachine), "the real Apple rejects URIs on this machine")
    }
}
