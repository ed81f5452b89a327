import Encoding
import HTTP
import IPAddresses
import Identity
import Postgres
import Testing
import WebAuthnSupport

@testable import Support

@Suite("Passkeys on the sign-in page")
struct SignInPagePasskeyTests {
    static let pageOrigin = "https://auth.example.com"

    /// A gateway whose pages may use the project's passkeys, and the account of `ada@example.com` with a passkey.
    private static func gateway() async throws -> (visit: SignInPageVisit, ada: PasskeyAccount) {
        let gateway = try await TestGateway.withServiceKey().acceptingPasskeysOnPages()
        let ada = try await gateway.enrolPasskey(gateway.signUp(email: "ada@example.com"))
        return (SignInPageVisit(gateway), ada)
    }

    @Test("A passkey signs in, and the browser gets a session")
    func signIn() async throws {
        var (visit, ada) = try await Self.gateway()
        let page = try await visit.open()
        #expect(page.text.contains("Sign in with a passkey"))
        let done = try await visit.submitPasskey(page, &ada.device)
        #expect(done.heading == "You are signed in", "\(done.text)")
        let answer = try await visit.exchange(done.requiredResult())
        let idToken = try #require(answer.json["id_token"]?.string, "\(answer.text)")
        #expect(try claims(of: idToken)["firebase"]?["sign_in_provider"] == "passkey")
        #expect(visit.browser.cookies.keys.contains { $0.contains("sekisho-browser") })
        #expect(try await visit.open().text.contains("Continue as <bdi>ada@example.com</bdi>"))
    }

    @Test("The page allows only its own script, by its hash, and only if it offers passkeys")
    func policy() async throws {
        let (visit, _) = try await Self.gateway()
        let policy = try #require(try await visit.open().headers["Content-Security-Policy"])
        #expect(policy.contains("; script-src 'sha256-"), "\(policy)")
        #expect(!policy.contains("unsafe") && !policy.contains("connect-src"))
        let reset = try await visit.open(["screen": "reset"])
        #expect(!reset.text.contains("<script"))
        #expect(reset.headers["Content-Security-Policy"]?.contains("script-src") == false)
    }

    @Test(
        "Passkeys are not offered where the browser or the gateway would reject them",
        arguments: [
            #"{"enabled": true, "rpId": "example.com"}"#,
            #"{"enabled": false, "rpId": "example.com", "origins": ["https://auth.example.com"]}"#,
            #"{"enabled": true, "rpId": "example.com", "origins": ["https://auth.example.com:8443"]}"#,
            #"{"enabled": true, "rpId": "example.com", "origins": ["https://auth.example.com.evil.example"]}"#,
        ])
    func notOffered(settings: String) async throws {
        let gateway = try await TestGateway().withPasskeySettings(settings)
        let visit = SignInPageVisit(gateway)
        let page = try await visit.open()
        #expect(!page.text.contains("passkey\"") && !page.text.contains("<script"))
        var fields: [String: String] = try page.form("signIn")
        fields["step"] = "passkey"
        fields["credential"] = #"{"id": "AAAA"}"#
        let rejected = try await visit.browser.send(
            .post, SignInPageVisit.path, form: fields.map { ($0.key, $0.value) }, headers: SignInPageVisit.formHeaders)
        #expect(rejected.status == 400)
        #expect(rejected.text.contains("This way to sign in is not available here."))
    }

    @Test("On the host of an app, whose scripts share the page's origin, passkeys are not offered")
    func foreignHost() async throws {
        let gateway = try await TestGateway(trustedProxies: [try #require(IPNetwork("192.0.2.0/24"))])
            .withPasskeySettings(
                #"{"enabled": true, "rpId": "example.com", "relatedOrigins": ["https://localhost"]}"#)
        let page = try await SignInPageVisit(gateway).browser.send(
            .get, SignInPageVisit.url(),
            headers: [("X-Forwarded-Host", "localhost"), ("X-Forwarded-Proto", "https")])
        #expect(page.status == 200)
        #expect(page.text.contains("current-password") && !page.text.contains("<script"))
    }

    @Test("A response counts once, and an expired one asks to sign in again")
    func replay() async throws {
        var (visit, ada) = try await Self.gateway()
        let page = try await visit.open()
        let credential = try visit.credential(page, &ada.device)
        _ = try await visit.submit(page, "passkey", ["credential": credential])
        let again = try await visit.submit(visit.open(["prompt": "login"]), "passkey", ["credential": credential])
        #expect(again.status == 400)
        #expect(again.text.contains("This step has expired. Sign in again."), "\(again.text)")
        let old = try await visit.open(["prompt": "login"])
        visit.gateway.clock.advance(by: .seconds(301))
        let expired = try await visit.submitPasskey(old, &ada.device)
        #expect(expired.text.contains("This step has expired. Sign in again."), "\(expired.text)")
    }

    @Test(
        "A field that is not the response of an authenticator is rejected",
        arguments: ["", "null", "[]", "{", #"{"id": "!"}"#, #"{"id": "AAAA"}"#, #"{"id": "AAAA", "response": {}}"#])
    func malformed(credential: String) async throws {
        let (visit, _) = try await Self.gateway()
        let rejected = try await visit.submit(visit.open(), "passkey", ["credential": credential])
        #expect(rejected.status == 400, "\(rejected.text)")
        #expect(rejected.text.contains("We could not sign you in."), "\(rejected.text)")
    }

    @Test("The browser learns that no account has a passkey, so that it stops offering it")
    func unknown() async throws {
        var (visit, ada) = try await Self.gateway()
        _ = try await visit.gateway.database.pool.execute("DELETE FROM passkey")
        let rejected = try await visit.submitPasskey(visit.open(), &ada.device)
        #expect(rejected.status == 400)
        #expect(rejected.text.contains("No account has this passkey."), "\(rejected.text)")
        #expect(rejected.text.contains("data-unknown="))
        #expect(rejected.text.contains(ada.device.id))
    }

    @Test("A re-authentication offers a passkey only if the account has one, and accepts only its own")
    func reauthentication() async throws {
        var (visit, ada) = try await Self.gateway()
        let eve = try await visit.gateway.signUp(email: "eve@example.com")
        for (idToken, isOffered) in [(ada.tokens.idToken, true), (eve.idToken, false)] {
            let page = try await visit.reauthenticate(idToken)
            #expect(page.text.contains("Sign in with a passkey") == isOffered, "\(page.text)")
        }
        var other = try await visit.gateway.enrolPasskey(eve)
        let page = try await visit.reauthenticate(ada.tokens.idToken)
        let rejected = try await visit.submitPasskey(page, &other.device)
        #expect(try rejected.requiredResult().contains("error=user_mismatch"), "\(rejected.text)")
        let accepted = try await visit.submitPasskey(visit.reauthenticate(ada.tokens.idToken), &ada.device)
        #expect(try accepted.requiredResult().contains("code="), "\(accepted.text)")
    }

    @Test("A passkey of the account completes a sign-in that waits for the second factor, another one does not")
    func secondFactor() async throws {
        let gateway = try await TestGateway.withSecondFactors().acceptingPasskeysOnPages()
        let enrolled = try await gateway.signUpEnrolled()
        var ada = try await gateway.addPasskey(enrolled.idToken)
        var eve = try await gateway.enrolPasskey(gateway.signUp(email: "eve@example.com")).device
        let visit = SignInPageVisit(gateway)
        let waiting = try await visit.submit(
            visit.open(), "signIn", ["email": "ada@example.com", "password": "secret1"])
        let page = try await visit.browser.send(.get, try #require(waiting.location))
        #expect(page.heading == "Enter your code")
        let rejected = try await visit.submitPasskey(page, &eve)
        #expect(rejected.status == 400 && rejected.result == nil, "\(rejected.text)")
        #expect(rejected.text.contains("This is another account."), "\(rejected.text)")
        let done = try await visit.submitPasskey(rejected, &ada)
        let idToken = try #require(try await visit.exchange(done.requiredResult()).json["id_token"]?.string)
        #expect(try claims(of: idToken)["sub"]?.string == enrolled.localId)
    }

    @Test("The second step offers no passkey to an account without one")
    func secondFactorWithoutPasskey() async throws {
        let gateway = try await TestGateway.withSecondFactors().acceptingPasskeysOnPages()
        _ = try await gateway.signUpEnrolled()
        let visit = SignInPageVisit(gateway)
        let waiting = try await visit.submit(
            visit.open(), "signIn", ["email": "ada@example.com", "password": "secret1"])
        let page = try await visit.browser.send(.get, try #require(waiting.location))
        #expect(page.heading == "Enter your code")
        #expect(!page.text.contains("data-passkey="))
    }
}

extension TestGateway {
    /// Enrols a passkey in the session of an ID token, and returns the device.
    func addPasskey(_ idToken: String) async throws -> TestPasskey {
        var device = try TestPasskey()
        let response = try device.register(await startPasskeyEnrolment(idToken))
        let finalized = try await finalizePasskeyEnrolment(idToken, response)
        #expect(finalized.status == 200, "\(finalized.text)")
        return device
    }

    /// Replaces the passkey settings of the project, and returns a gateway with fresh caches.
    func withPasskeySettings(_ settings: String) async throws -> TestGateway {
        _ = try await database.pool.execute(
            "UPDATE realm SET passkey_settings = \(settings)::text::jsonb WHERE id = 'demo'")
        return try withFreshCaches()
    }

    /// Returns a gateway whose own pages may use the passkeys of `example.com`.
    func acceptingPasskeysOnPages() async throws -> TestGateway {
        try await withPasskeySettings(
            #"{"enabled": true, "rpId": "example.com", "origins": ["https://auth.example.com"]}"#)
    }
}

extension SignInPageVisit {
    /// The response of a device to the ceremony of a page, as the script writes it into the form.
    func credential(_ page: Exchange, _ device: inout TestPasskey) throws -> String {
        device.authenticator.origin = SignInPagePasskeyTests.pageOrigin
        return String(decoding: try device.sign(options: page.passkeyOptions).bytes, as: UTF8.self)
    }

    func reauthenticate(_ idToken: String) async throws -> Exchange {
        try await openURI(["operation": "REAUTHENTICATE", "idToken": .string(idToken)])
    }

    func submitPasskey(
        _ page: Exchange, _ device: inout TestPasskey, _ boxes: [String: String] = [:]
    ) async throws -> Exchange {
        try await submit(page, "passkey", boxes.merging(["credential": credential(page, &device)]) { $1 })
    }
}

extension Exchange {
    /// The options of the page's ceremony, in JSON.
    var passkeyOptions: JSON {
        get throws {
            let text = try #require(self.text.firstMatch(of: #/data-passkey='([^']*)'/#), "\(self.text)").output.1
            return try JSON(Array(text.utf8))
        }
    }
}
