import HTTP
import Identity
import JSON
import Postgres
import Simulators
import Testing

@testable import Support

/// An emailed link or code where it proves an account that exists already.
@Suite("Re-authentication and conflicts by email on the sign-in page")
struct EmailProofTests {
    private static let ada = "ada@example.com"

    private static func visit(_ change: (inout Policy) -> Void = { _ in }) async throws -> SignInPageVisit {
        SignInPageVisit(
            try await TestGateway.withAppleGoogleAndOpenID(#""platform": "web""#, .sekisho) { policy in
                policy.allowsEmailLinks = true
                policy.emailEnumerationProtection = false
                change(&policy)
            })
    }

    @Test("An account that uses email links authenticates again by the link or the code", arguments: [true, false])
    func reauthentication(byLink: Bool) async throws {
        let visit = try await Self.visit()
        let ada = try await visit.signUpByEmail(Self.ada)
        visit.gateway.clock.advance(by: .seconds(600))
        let page = try await visit.openURI(["operation": "REAUTHENTICATE", "idToken": .string(ada.idToken)])
        #expect(page.text.contains("Email me a link or code"))
        #expect(!page.text.contains(#"name="email""#))
        let sent = try await visit.follow(try await visit.submit(page, "emailCode"))
        #expect(sent.text.contains("<bdi>\(Self.ada)</bdi>"))
        #expect(!sent.text.contains("Use another address"))
        let email = try await visit.lastEmail()
        let done =
            byLink
            ? try await visit.submit(try await visit.browser.send(.get, email.link), "openLink")
            : try await visit.submit(sent, "enterCode", ["code": email.code])
        let answer = try await visit.exchange(done.requiredResult())
        #expect(answer.json["user_id"]?.string == ada.localId, "\(answer.text)")
        let idToken = try #require(answer.json["id_token"]?.string)
        #expect(try await visit.gateway.delete(idToken).status == 200, "the login is recent")
    }

    @Test("The email goes to the account's own address, whatever the form contains")
    func ownAddress() async throws {
        let visit = try await Self.visit()
        let ada = try await visit.signUpByEmail(Self.ada)
        let page = try await visit.openURI(["operation": "REAUTHENTICATE", "idToken": .string(ada.idToken)])
        visit.gateway.clock.advance(by: .seconds(1))
        _ = try await visit.submit(page, "emailCode", ["email": "eve@example.com"])
        let recipients = try await visit.gateway.emails(.signInCode).map(\.recipient)
        #expect(recipients == [Self.ada, Self.ada])
    }

    @Test(
        "After the account has lost the address, the code of the former address proves nothing",
        arguments: [true, false])
    func changedAddress(isTaken: Bool) async throws {
        let visit = try await Self.visit()
        let ada = try await visit.signUpByEmail(Self.ada)
        let page = try await visit.openURI(["operation": "REAUTHENTICATE", "idToken": .string(ada.idToken)])
        visit.gateway.clock.advance(by: .seconds(1))
        let sent = try await visit.follow(try await visit.submit(page, "emailCode"))
        let code = try await visit.lastEmail().code
        _ = try await visit.gateway.database.pool.execute(
            "UPDATE account SET email = 'new@example.com' WHERE id = \(ada.localId)")
        if isTaken { _ = try await visit.gateway.signUp(email: Self.ada, password: "long enough") }
        let accounts = try await visit.accounts()
        let done = try await visit.submit(sent, "enterCode", ["code": code])
        #expect(done.status == 400 && done.result == nil, "\(done.text)")
        #expect(done.text.contains("This email is no longer valid"))
        #expect(try await visit.accounts() == accounts)
        if isTaken {
            let eve = try await visit.gateway.signIn(email: Self.ada, password: "long enough")
            #expect(eve.status == 200, "the other account is not reclaimed")
        }
    }

    @Test("An account that uses no email links, or has an unverified address, is offered no email")
    func notOffered() async throws {
        let visit = try await Self.visit()
        let ada = try await visit.gateway.signUpVerified(email: Self.ada, password: "long enough")
        let grace = try await visit.gateway.signUp(email: "grace@example.com", password: "long enough")
        _ = try await visit.gateway.database.pool.execute(
            "UPDATE account SET email_link_sign_in = true WHERE id = \(grace.localId)")
        for tokens in [try await visit.gateway.signIn(email: Self.ada, password: "long enough"), nil] {
            let idToken = tokens?.json["idToken"]?.string ?? grace.idToken
            let page = try await visit.openURI(["operation": "REAUTHENTICATE", "idToken": .string(idToken)])
            #expect(!page.text.contains("Email me a link or code"))
            var form: [String: String] = try page.form("signIn")
            form["step"] = "emailCode"
            let forged = try await visit.browser.send(
                .post, SignInPageVisit.path, form: form.map { ($0.key, $0.value) },
                headers: SignInPageVisit.formHeaders)
            #expect(forged.status == 400)
        }
        #expect(try await visit.gateway.emails(.signInCode).isEmpty)
        #expect(ada.localId != grace.localId)
    }

    @Test("The owner proves the account of a conflict by email, also if it was unverified", arguments: [true, false])
    func conflict(isVerified: Bool) async throws {
        let visit = try await Self.visit()
        let email = try #require(SimulatedPerson.ada.email)
        let ada =
            isVerified
            ? try await visit.gateway.signUpVerified(email: email, password: "long enough")
            : try await visit.gateway.signUp(email: email, password: "long enough")
        let sent = try await visit.requestEmailInConflict(to: email)
        let done = try await visit.submit(sent, "enterCode", ["code": try await visit.lastEmail().code])
        let answer = try await visit.exchange(done.requiredResult())
        #expect(answer.json["user_id"]?.string == ada.localId, "\(answer.text)")
        #expect(try await visit.linkedIdentities() == 1)
        let password = try await visit.gateway.signIn(email: email, password: "long enough")
        #expect((password.status == 200) == isVerified, "the mailbox reclaims an unverified account")
    }

    @Test("In a conflict, the email of another address creates no account, and of another account links nothing")
    func wrongPerson() async throws {
        let visit = try await Self.visit()
        let email = try #require(SimulatedPerson.ada.email)
        let ada = try await visit.gateway.signUpVerified(email: email, password: "long enough")
        _ = try await visit.gateway.signUpVerified(email: "eve@example.com", password: "long enough")
        let accounts = try await visit.accounts()
        var page = try await visit.follow(try await visit.signIn(with: "google.com", on: try await visit.open()))
        for address in ["nobody@example.com", "eve@example.com"] {
            let screen = try await visit.screen("emailCode", of: page)
            visit.gateway.clock.advance(by: .seconds(1))
            let sent = try await visit.follow(try await visit.submit(screen, "emailCode", ["email": address]))
            let wrong = try await visit.submit(sent, "enterCode", ["code": try await visit.lastEmail().code])
            #expect(wrong.status == 400)
            #expect(wrong.result == nil)
            page = try await visit.screen("signIn", of: wrong)
            #expect(page.heading == "You already have an account")
        }
        #expect(try await visit.accounts() == accounts)
        #expect(try await visit.linkedIdentities() == 0)
        let done = try await visit.submit(page, "signIn", ["email": email, "password": "long enough"])
        #expect(try await visit.exchange(done.requiredResult()).json["user_id"]?.string == ada.localId)
        #expect(try await visit.linkedIdentities() == 1)
    }

    @Test("A guest keeps the account with a proven address that no account has")
    func guestUpgrade() async throws {
        let visit = try await Self.visit()
        let (guest, page) = try await visit.openAsGuest()
        let preview = try await visit.proveMailbox(Self.ada, on: page)
        #expect(preview.heading == "Keep your guest account")
        #expect(preview.text.contains("<bdi>\(Self.ada)</bdi>"))
        let accounts = try await visit.accounts()
        let answer = try await visit.exchange(try await visit.submit(preview, "confirm").requiredResult())
        #expect(answer.json["user_id"]?.string == guest.localId, "\(answer.text)")
        #expect(try await visit.accounts() == accounts)
        let idToken = try #require(answer.json["id_token"]?.string)
        let user = try await visit.gateway.accountSeenByUser(idToken)
        #expect(user["email"]?.string == Self.ada)
        #expect(user["emailVerified"] == true)
    }

    @Test("A guest who proves the address of an account merges into this account")
    func guestMerge() async throws {
        let visit = try await Self.visit()
        let ada = try await visit.gateway.signUpVerified(email: Self.ada, password: "long enough")
        let (guest, page) = try await visit.openAsGuest()
        let preview = try await visit.proveMailbox(Self.ada, on: page)
        #expect(preview.heading == "You already have an account")
        let answer = try await visit.exchange(try await visit.submit(preview, "confirm").requiredResult())
        #expect(answer.json["user_id"]?.string == ada.localId, "\(answer.text)")
        #expect(try await visit.gateway.lookup(guest.idToken).status == 400)
    }

    @Test("If an account has got the address since the preview, nothing is confirmed")
    func guestTooLate() async throws {
        let visit = try await Self.visit()
        let (guest, page) = try await visit.openAsGuest()
        let preview = try await visit.proveMailbox(Self.ada, on: page)
        _ = try await visit.gateway.signUp(email: Self.ada, password: "long enough")
        let late = try await visit.submit(preview, "confirm")
        #expect(late.status == 400)
        #expect(late.result == nil)
        #expect(try await visit.gateway.lookup(guest.idToken).status == 200)
    }
}

extension SignInPageVisit {
    /// Creates an account that signs in by email links.
    fileprivate func signUpByEmail(_ address: String) async throws -> (localId: String, idToken: String) {
        let sent = try await requestEmail(to: address)
        let done = try await submit(sent, "enterCode", ["code": try await lastEmail().code])
        let answer = try await exchange(done.requiredResult())
        return (
            try #require(answer.json["user_id"]?.string, "\(answer.text)"),
            try #require(answer.json["id_token"]?.string)
        )
    }

    fileprivate func requestEmailInConflict(to address: String) async throws -> Exchange {
        let page = try await follow(try await signIn(with: "google.com", on: try await open()))
        #expect(page.heading == "You already have an account")
        gateway.clock.advance(by: .seconds(1))
        return try await follow(
            try await submit(try await screen("emailCode", of: page), "emailCode", ["email": address]))
    }

    /// Requests an email on the page of a guest, and enters its code.
    fileprivate func proveMailbox(_ address: String, on page: Exchange) async throws -> Exchange {
        gateway.clock.advance(by: .seconds(1))
        let sent = try await follow(
            try await submit(try await screen("emailCode", of: page), "emailCode", ["email": address]))
        return try await follow(try await submit(sent, "enterCode", ["code": try await lastEmail().code]))
    }

    /// Opens another screen, as its link or its button on a page does.
    func screen(_ name: String, of page: Exchange) async throws -> Exchange {
        let links = page.text.matches(of: #/href="(signIn\?[^"]*)"/#).map { String($0.output.1) }
        if let link = links.first(where: { $0.contains("screen=\(name)") }) {
            return try await browser.send(.get, "/demo/__/auth/" + link.replacing("&amp;", with: "&"))
        }
        let form = try #require(page.text.firstMatch(of: #/<form id="screens".*?<\/form>/#.dotMatchesNewlines()))
        let flow = try #require(form.output.firstMatch(of: #/name="flow" value="([^"]*)"/#)).output.1
        #expect(page.text.contains(#"form="screens" name="screen" value="\#(name)""#))
        return try await browser.send(.get, "\(SignInPageVisit.path)?flow=\(flow)&screen=\(name)")
    }

    fileprivate func accounts() async throws -> Int {
        try await gateway.database.pool.query("SELECT count(*)::int AS n FROM account").first?.decode("n") ?? 0
    }
}
