import Encoding
import HTTP
import Identity
import Testing
import WebAuthnSupport

@testable import Gateway
@testable import Support

@Suite("Passkeys of people who use the console", .serialized)
struct ConsolePasskeyTests {
    @Test("An invited person accepts with a passkey, which then replaces the password and a code")
    func invitation() async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole)
        let (ada, enrolled) = try await fixture.signInWithPasskey(as: "owner")
        var device = enrolled
        let accounts = try await ada.open("/console/demo/accounts")
        #expect(accounts.status == 200 && accounts.heading == "Accounts")
        #expect(try await ada.submit(accounts, "signOut").location == "/console/signIn")
        #expect(try await ada.open("/console/demo/accounts").status == 303)
        #expect(try await ada.enterPasskey(&device).location == "/console")
        #expect(try await ada.open("/console/demo/accounts").status == 200)
    }

    @Test("The script of the page is the constant one of the sign-in page, and sends no requests")
    func script() async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole)
        let page = try await ConsoleVisitor(fixture.gateway).open("/console/signIn")
        let policy = page.headers["Content-Security-Policy"] ?? ""
        #expect(policy.contains("script-src 'sha256-") && !policy.contains("connect-src"), "\(policy)")
        #expect(policy.contains("default-src 'none'"))
        #expect(page.text.contains("id=\"passkey-form\""))
    }

    @Test(
        "Without passkeys for the console's origin, its pages offer none",
        arguments: [
            PasskeySettings(), PasskeySettings(isEnabled: false, rpID: "auth.example.com"),
            PasskeySettings(isEnabled: true, rpID: "example.org"),
        ])
    func notOffered(settings: PasskeySettings) async throws {
        let fixture = try await ConsoleFixture(passkeys: settings)
        let visitor = ConsoleVisitor(fixture.gateway)
        let page = try await visitor.open("/console/signIn")
        #expect(page.status == 200 && !page.text.contains("data-passkey=") && !page.text.contains("<script"))
        let forged = try await visitor.submit(page, "password") { fields in
            fields = fields.filter { $0.0 != "form" } + [("form", "passkey"), ("credential", "{}")]
        }
        #expect(forged.status == 403)
        let ada = try await fixture.signIn(as: "owner")
        #expect(try await !ada.open("/console/demo/accounts").text.contains("/console/passkeys"))
    }

    @Test("A password does not sign in a person with a passkey, and adds no factor to the account")
    func passwordAlone() async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole)
        let (ada, _) = try await fixture.signInWithPasskey(as: "owner")
        let thief = ConsoleVisitor(fixture.gateway)
        let page = try await thief.enterPassword(ada.email)
        #expect(page.heading == "Sign in with your passkey" && page.field("idToken") == nil, "\(page.text)")
        #expect(try await thief.open("/console/demo/accounts").status == 303)
        // The API of the operators' project is open to everybody with its key.
        let idToken = try await fixture.signInWithPassword(ada)
        let started = try await fixture.gateway.post(
            "/v2/accounts/mfaEnrollment:start", ["idToken": idToken, "totpEnrollmentInfo": [:]],
            key: ConsoleFixture.apiKey)
        #expect(started.wireCode == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "\(started.text)")
    }

    @Test("A second passkey is not created with a password, not even from a page that was opened before the first one")
    func olderPage() async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole)
        let invited = try await fixture.invite("ada@example.com", "owner")
        try await fixture.proveMailbox(try #require(invited.json["localId"]?.string))
        let (thief, ada) = (ConsoleVisitor(fixture.gateway), ConsoleVisitor(fixture.gateway))
        let older = try await thief.enterPassword("ada@example.com")
        let page = try await ada.enterPassword("ada@example.com")
        var (first, second) = (try TestPasskey.ofConsole(), try TestPasskey.ofConsole())
        let created = try await ada.send(try first.register(options: page.passkeyOptions), page, "createPasskey")
        #expect(created.heading == "Passkey created", "\(created.text)")
        let late = try await thief.send(try second.register(options: older.passkeyOptions), older, "createPasskey")
        #expect(late.status == 400 && late.text.contains("The console needs a second factor or a passkey."))
        let code = try AuthenticatorApp(["sharedSecretKey": .string(try #require(older.field("secret")))])
            .code(at: fixture.gateway.clock.now)
        let app = try await thief.submit(older, "enrolment", ["code": code])
        #expect(app.status == 400, "\(app.text)")
    }

    @Test("A passkey that did not verify the user, or was used on another page of the project, does not sign in")
    func otherCeremonies() async throws {
        var settings = PasskeySettings.ofConsole
        settings.origins = ["https://app.auth.example.com"]
        let fixture = try await ConsoleFixture(passkeys: settings)
        let (ada, enrolled) = try await fixture.signInWithPasskey(as: "owner")
        var device = enrolled
        let visitor = ConsoleVisitor(fixture.gateway)
        device.authenticator.flags.remove(.userVerified)
        #expect(try await visitor.enterPasskey(&device).status == 400)
        device.authenticator.flags.insert(.userVerified)
        device.authenticator.origin = "https://app.auth.example.com"
        let elsewhere = try await visitor.enterPasskey(&device)
        #expect(elsewhere.status == 400 && elsewhere.text.contains("The passkey was not accepted"))
        device.authenticator.origin = "https://auth.example.com"
        #expect(try await visitor.enterPasskey(&device).status == 303)
        // A challenge for an app of the project is not one for the console.
        let started = try await fixture.gateway.startPasskeySignIn(key: ConsoleFixture.apiKey)
        let page = try await ada.open("/console/signIn")
        #expect(try await ada.send(try device.sign(started), page, "passkey").status == 400)
    }

    @Test("A passkey of a person without a role opens no session, and an unknown one is explained")
    func withoutRole() async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole)
        let (ada, enrolled) = try await fixture.signInWithPasskey(as: "viewer")
        var device = enrolled
        _ = try await fixture.signIn("owner@example.com", as: "owner")
        let role = "/v2/projects/other/administrators/\(ada.id)"
        #expect(try await fixture.gateway.send(.delete, role, by: fixture.operatorsKey).status < 300)
        let refused = try await ada.enterPasskey(&device)
        #expect(refused.status == 400 && refused.text.contains("The account has no role in the console."))
        let removal: JSON = ["localId": .string(ada.id), "deletePasskey": [.string(device.id)]]
        #expect(try await fixture.administer("update", removal).outcome == "200")
        let unknown = try await ada.enterPasskey(&device)
        #expect(unknown.status == 400 && unknown.text.contains("No account of the console has this passkey."))
    }

    @Test("A passkey confirms that it is the person, for five minutes")
    func confirmation() async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole)
        let (ada, enrolled) = try await fixture.signInWithPasskey(as: "owner")
        var device = enrolled
        let clock = fixture.gateway.clock
        clock.advance(by: .seconds(6 * 60))
        let accounts = try await ada.open("/console/demo/accounts")
        #expect(accounts.text.contains("Confirm that it is you"))
        let former = ada.browser.cookies["__Host-sekisho-console"]
        #expect(try await ada.enterPasskey(&device).status == 303)
        #expect(ada.browser.cookies["__Host-sekisho-console"] != former)
        #expect(try await ada.open("/console/demo/accounts").text.contains("You have confirmed that it is you."))
    }

    @Test("A person with an authenticator app adds a passkey within five minutes of a proof, and signs in with it")
    func addition() async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole)
        let ada = try await fixture.signIn(as: "administrator")
        let page = try await ada.open("/console/passkeys")
        #expect(page.heading == "Your passkeys", "\(page.text)")
        fixture.gateway.clock.advance(by: .seconds(4 * 60))
        let proven = try await ada.open("/console/passkeys")
        var device = try TestPasskey.ofConsole()
        let response = try device.register(options: proven.passkeyOptions)
        fixture.gateway.clock.advance(by: .seconds(2 * 60))
        let late = try await ada.send(response, proven, "addPasskey")
        #expect(late.location?.hasPrefix("/console/signIn?") == true, "\(late.text)")
        #expect(try await ada.open("/console/passkeys").location?.hasPrefix("/console/signIn?") == true)
        try await ada.confirm()
        let again = try await ada.open("/console/passkeys")
        let added = try await ada.send(try device.register(options: again.passkeyOptions), again, "addPasskey")
        #expect(added.location == "/console/passkeys", "\(added.text)")
        #expect(try await ada.open("/console/passkeys").text.contains("<bdi>Passkey</bdi>"))
        #expect(try await ConsoleVisitor(fixture.gateway).enterPasskey(&device).status == 303)
    }

    @Test("A passkey is added only by a form of the console")
    func foreignForm() async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole)
        let ada = try await fixture.signIn(as: "administrator")
        let page = try await ada.open("/console/passkeys")
        var device = try TestPasskey.ofConsole()
        let response = try device.register(options: page.passkeyOptions)
        let forged = try await ada.send(response, page, "addPasskey") { fields in
            fields = fields.map { $0.0 == "formToken" ? ($0.0, String($0.1.reversed())) : $0 }
        }
        #expect(forged.status == 403)
        let foreign = try await ada.send(
            response, page, "addPasskey",
            headers: [
                ("Host", "auth.example.com"), ("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Mode", "navigate"),
            ])
        #expect(foreign.status == 403)
    }
}

extension PasskeySettings {
    /// The settings with which pages of the console can use passkeys.
    static let ofConsole = PasskeySettings(isEnabled: true, rpID: "auth.example.com")
}

extension TestPasskey {
    static func ofConsole() throws -> TestPasskey {
        try TestPasskey(rpID: "auth.example.com", origin: "https://auth.example.com")
    }
}

extension ConsoleFixture {
    /// Invites a person, who accepts with a new passkey.
    func signInWithPasskey(
        _ email: String = "ada@example.com", as role: String
    ) async throws -> (ConsoleVisitor, TestPasskey) {
        let invited = try await invite(email, role)
        let link = try #require(invited.json["invitationUri"]?.string)
        let visitor = ConsoleVisitor(gateway)
        (visitor.email, visitor.id) = (email, try #require(invited.json["localId"]?.string))
        let page = try await visitor.open(String(link.dropFirst("https://auth.example.com".count)))
        _ = try await visitor.submit(page, "invitation", ["email": email])
        try await proveMailbox(visitor.id)
        let enrolment = try await visitor.enterPassword(email)
        var device = try TestPasskey.ofConsole()
        let response = try device.register(options: enrolment.passkeyOptions)
        let created = try await visitor.send(response, enrolment, "createPasskey")
        #expect(created.heading == "Passkey created", "\(created.text)")
        #expect(try await roles(of: visitor) == [:])
        let done = try await visitor.send(try device.sign(options: created.passkeyOptions), created, "passkey")
        #expect(done.status == 303, "\(done.text)")
        #expect(try await roles(of: visitor).count == 1)
        return (visitor, device)
    }

    /// Signs a person in to the operators' project with the password alone, as an app does.
    ///
    /// - Returns: the ID token.
    func signInWithPassword(_ person: ConsoleVisitor) async throws -> JSON {
        let signedIn = try await gateway.post(
            "/v1/accounts:signInWithPassword",
            ["email": .string(person.email), "password": .string(Self.password)], key: Self.apiKey)
        return try #require(signedIn.json["idToken"], "\(signedIn.text)")
    }
}

extension ConsoleVisitor {
    /// Submits a form as the script does after a ceremony.
    func send(
        _ response: JSON, _ page: Exchange, _ form: String, headers: [(String, String)]? = nil,
        changing: (inout [(String, String)]) -> Void = { _ in }
    ) async throws -> Exchange {
        let credential = String(decoding: try response.bytes, as: UTF8.self)
        return try await submit(page, form, headers: headers) { fields in
            fields = fields.filter { $0.0 != "credential" } + [("credential", credential)]
            changing(&fields)
        }
    }

    /// Signs in with a passkey.
    func enterPasskey(_ device: inout TestPasskey) async throws -> Exchange {
        let page = try await open("/console/signIn")
        return try await send(try device.sign(options: page.passkeyOptions), page, "passkey")
    }
}
