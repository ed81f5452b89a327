import Encoding
import HTTP
import Identity
import Testing
import WebAuthnSupport

@testable import Support

@Suite("Passkeys on the account page")
struct AccountPasskeyTests {
    private static func ada() async throws -> (browser: AccountBrowser, tokens: TestGateway.Tokens) {
        let gateway = try await TestGateway.withServiceKey().acceptingPasskeysOnPages()
        return try await AccountBrowser.ofAda(gateway)
    }

    @Test("A passkey is added, announced and listed, and signs in; the browser stays signed in")
    func add() async throws {
        let (browser, tokens) = try await Self.ada()
        #expect(try await browser.open("methods").words.contains("Add a passkey"))
        var device = try TestPasskey()
        let done = try await browser.createPasskey(&device)
        #expect(done.status == 303, "\(done.text)")
        let methods = try await browser.follow(try #require(done.location))
        #expect(methods.words.contains("Your passkey was added."), "\(methods.words)")
        #expect(try await browser.gateway.passkeys(of: tokens.localId).count == 1)
        #expect(try await browser.gateway.emails(.identityLinked).count == 1)
        let signedIn = try await browser.gateway.signInWithPasskey(&device)
        #expect(signedIn.json["localId"]?.string == tokens.localId, "\(signedIn.text)")
    }

    @Test("A passkey is renamed, and a name without characters or with a control character is rejected")
    func rename() async throws {
        let (browser, tokens) = try await Self.ada()
        var device = try TestPasskey()
        _ = try await browser.createPasskey(&device)
        let part = "rename?method=passkey.\(device.id)"
        let length = "Enter a name with at most 100 characters."
        for (name, reason) in [
            ("", length), (String(repeating: "a", count: 101), length),
            ("a\u{7}", "Names cannot contain line breaks or other control characters."),
        ] {
            let rejected = try await browser.submit(part, [("displayName", name)])
            #expect(rejected.status == 400)
            #expect(rejected.words.contains(reason), "\(rejected.words)")
        }
        let methods = try await browser.submitAndFollow(part, [("displayName", "My <laptop>")])
        #expect(methods.words.contains("The passkey was renamed."), "\(methods.words)")
        #expect(try await browser.gateway.passkeys(of: tokens.localId) == ["My <laptop>"])
        #expect(methods.text.contains("My &lt;laptop&gt;"))
    }

    /// What the page tells the browser about the passkeys that are left; `nil` if it says nothing.
    private static func accepted(on page: Exchange) throws -> JSON? {
        try page.text.firstMatch(of: #/data-accepted='([^']*)'/#).map { match in
            try JSON(Array(String(match.output.1).replacing("&quot;", with: "\"").utf8))
        }
    }

    @Test("After the removal of a passkey, the page tells the browser which ones are left, with its only script")
    func signal() async throws {
        let (browser, tokens) = try await Self.ada()
        var devices = [try TestPasskey(), try TestPasskey()]
        for index in devices.indices { #expect(try await browser.createPasskey(&devices[index]).status == 303) }
        let lookup = try await browser.gateway.lookup(browser.gateway.signIn().json["idToken"]?.string ?? "")
        let handle = lookup.json["users"]?[0]?["passkeySignals"]?[0]?["userId"]
        for (index, left) in [(0, [devices[1].id]), (1, [])] {
            let posted = try await browser.submit("remove?method=passkey.\(devices[index].id)")
            let page = try await browser.follow(try #require(posted.location, "\(posted.text)"))
            let told = try #require(try Self.accepted(on: page), "\(page.text)")
            #expect(told["allAcceptedCredentialIds"] == .array(left.map(JSON.string)))
            #expect(told["userId"] == handle && told["rpId"] == "example.com", "\(told)")
            #expect(page.headers["Content-Security-Policy"]?.contains("script-src 'sha256-") == true)
            #expect(try await browser.gateway.passkeys(of: tokens.localId).count == 1 - index)
        }
    }

    @Test("A link with another user handle tells the browser nothing, nor does a page without a removal")
    func forgedSignal() async throws {
        let (browser, _) = try await Self.ada()
        var device = try TestPasskey()
        _ = try await browser.createPasskey(&device)
        let posted = try await browser.submit("remove?method=passkey.\(device.id)")
        let location = try #require(posted.location)
        let handle = try #require(location.firstMatch(of: #/userHandle=([^&]*)/#)?.output.1)
        for changed in [
            location.replacing("userHandle=\(handle)", with: "userHandle=ZXZl"),
            location.replacing("&userHandle=\(handle)", with: ""), "methods", "methods?userHandle=\(handle)",
        ] {
            let page = try await browser.follow(changed)
            #expect(page.status == 200)
            #expect(try Self.accepted(on: page) == nil, "\(changed)")
            #expect(page.headers["Content-Security-Policy"]?.contains("script-src") == false)
        }
    }

    @Test("The passkey of another account is neither renamed nor shown")
    func foreign() async throws {
        let (browser, _) = try await Self.ada()
        let eve = try await browser.gateway.enrolPasskey(browser.gateway.signUp(email: "eve@example.com"), name: "Eve")
        let page = try await browser.open("rename?method=passkey.\(eve.device.id)")
        #expect(page.status == 404)
        var device = try TestPasskey()
        _ = try await browser.createPasskey(&device)
        let forged = try await browser.submit("rename?method=passkey.\(device.id)", [("displayName", "Mine")]) {
            fields in
            fields = fields.map { $0.0 == "method" ? ("method", "passkey.\(eve.device.id)") : $0 }
        }
        #expect(forged.status == 400, "\(forged.text)")
        #expect(try await browser.gateway.passkeys(of: eve.tokens.localId) == ["Eve"])
    }

    @Test("Adding and renaming need a recent login", arguments: ["passkey", "rename"])
    func recentLogin(part: String) async throws {
        let (browser, _) = try await Self.ada()
        var device = try TestPasskey()
        _ = try await browser.createPasskey(&device)
        browser.ageLogin()
        for method in [HTTP.Method.get, .post] {
            let answer = try await browser.browser.send(
                method, AccountBrowser.root + "/\(part)?method=passkey.\(device.id)",
                form: method == .post ? [] : nil, headers: AccountBrowser.ownForm)
            #expect(answer.location?.contains("signIn?request=") == true, "\(answer.status) \(answer.text)")
        }
    }

    @Test("A response that was made for another challenge adds nothing")
    func foreignChallenge() async throws {
        let (browser, tokens) = try await Self.ada()
        var device = try TestPasskey()
        device.authenticator.origin = SignInPagePasskeyTests.pageOrigin
        // The challenge of the API is bound to another session and app.
        let started = try await browser.gateway.startPasskeyEnrolment(tokens.idToken)
        let response = String(decoding: try device.register(started).bytes, as: UTF8.self)
        let rejected = try await browser.submit("passkey") { fields in
            fields = fields.map { $0.0 == "credential" ? ("credential", response) : $0 }
        }
        #expect(rejected.status == 400)
        #expect(rejected.words.contains("No passkey was added."), "\(rejected.words)")
        #expect(try await browser.gateway.passkeys(of: tokens.localId) == [])
    }
}

extension AccountBrowser {
    /// Creates a passkey on the page, as its script does.
    fileprivate func createPasskey(_ device: inout TestPasskey) async throws -> Exchange {
        device.authenticator.origin = SignInPagePasskeyTests.pageOrigin
        let page = try await open("passkey")
        let response = String(decoding: try device.register(options: page.passkeyOptions).bytes, as: UTF8.self)
        let form = try #require(page.forms.first, "\(page.text)")
        let fields = form.hidden.filter { $0.0 != "credential" } + [("credential", response)]
        return try await browser.send(.post, Self.root + "/passkey", form: fields, headers: Self.ownForm)
    }
}
