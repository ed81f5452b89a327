import Crypto
import Encoding
import HTTP
import JSON
import Simulators
import Testing

@Suite("Google's consent page")
struct GoogleConsentTests {
    static let client = "1234-abc.apps.googleusercontent.com"
    static let callback = "https://auth.example.com/callback"
    static let verifier = "verifier-of-the-client-with-more-than-forty-three-characters"

    let clock = TestClock()
    let google: SimulatedGoogle

    init() throws {
        google = try SimulatedGoogle(clock: { [clock] in clock.now }, keys: Keys.google)
        google.register(GoogleClient(id: Self.client, secret: "s", redirectURIs: [Self.callback]))
    }

    /// A valid request of the code flow.
    static let request: [String: String?] = [
        "client_id": client, "redirect_uri": callback, "response_type": "code", "scope": "openid email profile",
        "state": "state 1&", "nonce": "nonce-1", "code_challenge_method": "S256",
        "code_challenge": Base64URL.encode(Digest.sha256(Array(verifier.utf8))),
    ]

    /// Requests the page with `changes` to the valid request. `nil` omits a parameter.
    private func page(_ changes: [String: String?] = [:], language: String = "en") throws -> Response {
        try google.get(
            SimulatedGoogle.authorizationPath, Self.request.merging(changes) { $1 },
            headers: ["Accept-Language": language])
    }

    /// Posts a form of the page with the fields of the person's decision, and returns the parameters of the redirect.
    private func decide(_ decision: [String: String?], _ changes: [String: String?] = [:]) throws -> [String: String] {
        let response = try google.post(
            SimulatedGoogle.authorizationPath, Self.request.merging(changes) { $1 }.merging(decision) { $1 })
        #expect(response.status == 303)
        return try response.locationParameters(at: Self.callback)
    }

    /// - Parameter changes: fields that differ from a valid request. `nil` omits a field.
    private func redeem(_ code: String?, _ changes: [String: String?] = [:]) throws -> Response {
        let form: [String: String?] = [
            "grant_type": "authorization_code", "code": code, "client_id": Self.client, "client_secret": "s",
            "redirect_uri": Self.callback, "code_verifier": Self.verifier,
        ]
        return try google.post(SimulatedGoogle.tokenPath, form.merging(changes) { $1 })
    }

    private func claims(of response: Response) throws -> Claims {
        let token = try #require(try response.json["id_token"]?.text)
        return try SimulatorsTests.claims(of: token, verifiedWith: google.servedKeys(at: SimulatedGoogle.keysPath))
    }

    @Test("The page lists the person of login_hint before other people, and does not offer to hide the address")
    func shown() throws {
        let page = try page(["login_hint": "EMMY.noether@university.example"])
        #expect(page.status == 200)
        let values = page.text.matches(of: /name="simulated_person" value="([^"]*)"/).map { String($0.output.1) }
        #expect(values == ["emmy.noether", "ada.lovelace", "grace.hopper", "mary.somerville", "alan.turing"])
        #expect(page.text.contains("simulated_hide_email") == false)
        #expect(page.text.contains("server_error"))
        #expect(try self.page(language: "ja").text.contains("Googleでログイン"))
    }

    @Test("Consent redirects with a single-use code, the state and the issuer")
    func consent() throws {
        let fields = try decide(["simulated_person": "mary.somerville"])
        #expect(fields["state"] == "state 1&")
        #expect(fields["iss"] == "https://accounts.google.com")
        let response = try redeem(fields["code"])
        let claims = try claims(of: response)
        #expect(claims["nonce"] == .string("nonce-1"))
        #expect(claims["email"] == .string("mary.somerville@gmail.com"))
        #expect(try redeem(fields["code"]).outcome == "400 invalid_grant")
        #expect(try page().text.contains("Has used this app"))
    }

    @Test(
        "A code needs the client secret, the redirect URI and the verifier, and expires after ten minutes",
        arguments: [
            (["client_secret": nil], 0, "401 invalid_client"), (["code_verifier": "x"], 0, "400 invalid_grant"),
            (["code_verifier": nil], 0, "400 invalid_grant"),
            (["redirect_uri": callback + "/"], 0, "400 redirect_uri_mismatch"), ([:], 600, "400 invalid_grant"),
        ] as [([String: String?], Int64, String)])
    func bound(changes: [String: String?], delay: Int64, outcome: String) throws {
        let code = try decide(["simulated_person": "ada.lovelace"])["code"]
        clock.advance(by: delay)
        #expect(try redeem(code, changes).outcome == outcome)
    }

    @Test("Cancelling redirects with access_denied")
    func cancelled() throws {
        #expect(try decide(["simulated_outcome": "cancelled"]) == ["error": "access_denied", "state": "state 1&"])
    }

    @Test("The field simulated_outcome selects a used code, another state, another nonce or server_error")
    func chosenErrors() throws {
        #expect(try redeem(decide(["simulated_outcome": "used_code"])["code"]).outcome == "400 invalid_grant")
        #expect(try decide(["simulated_outcome": "other_state"])["state"] != "state 1&")
        let claims = try claims(of: redeem(decide(["simulated_outcome": "other_nonce"])["code"]))
        #expect(claims["nonce"] != .string("nonce-1"))
        #expect(try decide(["simulated_outcome": "server_error"])["error"] == "server_error")
    }

    @Test("A request with prompt=none gets an error, unless it names a simulated person")
    func withoutPage() throws {
        let refused = try page(["prompt": "none"])
        #expect(try refused.locationParameters(at: Self.callback)["error"] == "interaction_required")
        let skipped = try page(["prompt": "none", "simulated_person": "ada.lovelace"])
        #expect(try skipped.locationParameters(at: Self.callback)["code"] != nil)
    }

    @Test("A redirect URI keeps its query, and the parameters of the response are appended to it")
    func query() throws {
        google.redirectURIs = RedirectURIRule(unregistered: .loopback)
        let response = try page(["redirect_uri": "http://localhost/cb?x=1", "simulated_person": "ada.lovelace"])
        #expect(try response.locationParameters(at: "http://localhost/cb?x=1&")["x"] == "1")
    }

    @Test("A missing client secret is accepted if the check is off, as in dev mode")
    func secret() throws {
        google.checksClientSecrets = false
        let code = try decide(["simulated_person": "ada.lovelace"])["code"]
        #expect(try redeem(code, ["client_secret": nil]).outcome == "200")
    }

    @Test(
        "A request that Google rejects gets an error page and no redirect",
        arguments: [
            (["client_id": "stranger"], "invalid_client"),
            (["redirect_uri": "https://evil.example.com"], "redirect_uri_mismatch"),
            (["redirect_uri": callback + "?x"], "redirect_uri_mismatch"), (["redirect_uri": nil], "invalid_request"),
            (["redirect_uri": "data:x"], "invalid_request"), (["response_type": "token"], "unsupported_response_type"),
            (["scope": "email"], "invalid_request"), (["code_challenge_method": "plain"], "invalid_request"),
            (["code_challenge_method": nil], "invalid_request"),
        ] as [([String: String?], String)])
    func rejected(changes: [String: String?], code: String) throws {
        let response = try page(changes.merging(["simulated_person": "ada.lovelace"]) { $1 })
        #expect(response.status == 400)
        #expect(response.text.contains("<dd>\(code)</dd>"))
        #expect(response.headers["Location"] == nil)
    }
}
