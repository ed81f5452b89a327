import HTTP
import Identity
import JSON
import Postgres
import Simulators
import Testing

@testable import Support

/// Another tab of a visit changes what is stored of it, between the check of a proof and its use.
@Suite("Concurrent tabs of a visit of the sign-in page")
struct ConcurrentTabsTests {
    private static func visit() async throws -> SignInPageVisit {
        SignInPageVisit(
            try await TestGateway.withAppleGoogleAndOpenID(#""platform": "web""#, .sekisho) { policy in
                policy.allowsEmailLinks = true
                policy.emailEnumerationProtection = false
            })
    }

    @Test("A guest gets the address whose code was entered, not the one to which another tab sends an email then")
    func addressOfGuest() async throws {
        let visit = try await Self.visit()
        let (guest, page) = try await visit.openAsGuest()
        _ = try await visit.requestEmail(to: "victim@example.com", on: page)
        let emailToVictim = try await visit.storedContent()
        let sent = try await visit.requestEmail(to: "guest@example.com", on: page)
        let code = try await visit.lastEmail().code
        let request = try await visit.gateway.database.pool.transaction { transaction in
            // The request waits for this lock after it has compared the code.
            _ = try await transaction.execute("LOCK TABLE oob_code IN ACCESS EXCLUSIVE MODE")
            let request = Task { try await visit.submit(sent, "enterCode", ["code": code]) }
            try await visit.gateway.database.waitForBlockedStatements()
            _ = try await transaction.execute("UPDATE sign_in_flow SET content = \(emailToVictim)")
            return request
        }
        let preview = try await visit.follow(try await request.value)
        #expect(preview.heading == "Keep your guest account")
        #expect(preview.text.contains("<bdi>guest@example.com</bdi>"))
        let answer = try await visit.exchange(try await visit.submit(preview, "confirm").requiredResult())
        #expect(answer.json["user_id"]?.string == guest.localId, "\(answer.text)")
        let idToken = try #require(answer.json["id_token"]?.string)
        #expect(try await visit.gateway.accountSeenByUser(idToken)["email"]?.string == "guest@example.com")
    }

    @Test(
        "The return from a provider links the identity of a conflict only in the tab that shows it",
        arguments: [true, false])
    func returnFromProvider(showsConflict: Bool) async throws {
        let visit = try await Self.visit()
        let ada = try await visit.signUpAtProvider("apple.com")
        let plain = try await visit.open()
        let conflict = try await visit.follow(try await visit.signIn(with: "google.com", on: plain))
        #expect(conflict.heading == "You already have an account")
        let opened = try await visit.start("apple.com", on: showsConflict ? conflict : plain)
        _ = try await visit.start("apple.com", on: showsConflict ? plain : conflict)
        let done = try await visit.browser.signInAtProvider(opening: opened)
        #expect(try await visit.exchange(done.requiredResult()).json["user_id"]?.string == ada)
        #expect(try await visit.linkedIdentities() == (showsConflict ? 2 : 1))
    }

    @Test("The emailed link of a conflict creates no account and links, whatever another tab has stored since")
    func returnByLink() async throws {
        let visit = try await Self.visit()
        let email = try #require(SimulatedPerson.ada.email)
        let ada = try await visit.gateway.signUpVerified(email: email, password: "long enough")
        let plain = try await visit.open()
        let conflict = try await visit.follow(try await visit.signIn(with: "google.com", on: plain))
        _ = try await visit.requestEmail(to: email, on: conflict)
        let link = try await visit.lastEmail().link
        _ = try await visit.start("apple.com", on: plain)
        let done = try await visit.submit(try await visit.browser.send(.get, link), "openLink")
        #expect(try await visit.exchange(done.requiredResult()).json["user_id"]?.string == ada.localId)
        #expect(try await visit.linkedIdentities() == 1)
    }

    @Test("The session of a merge that another tab replaces ends")
    func replacedMerge() async throws {
        let visit = try await Self.visit()
        let ada = try await visit.gateway.signUpVerified(email: "ada@example.com", password: "long enough")
        let (_, page) = try await visit.openAsGuest()
        let sessions = try await visit.activeSessions(of: ada.localId)
        let preview = try await visit.follow(
            try await visit.submit(page, "signIn", ["email": "ada@example.com", "password": "long enough"]))
        #expect(preview.heading == "You already have an account")
        #expect(try await visit.activeSessions(of: ada.localId) == sessions + 1)
        _ = try await visit.requestEmail(to: "other@example.com", on: page)
        #expect(try await visit.activeSessions(of: ada.localId) == sessions)
    }

    @Test("If another tab ends the conflict during the sign-in, nothing is linked or signed in, and the page says so")
    func endedConflict() async throws {
        let visit = try await Self.visit()
        let email = try #require(SimulatedPerson.ada.email)
        let ada = try await visit.gateway.signUpVerified(email: email, password: "long enough")
        let page = try await visit.follow(try await visit.signIn(with: "google.com", on: try await visit.open()))
        let sessions = try await visit.activeSessions(of: ada.localId)
        let request = try await visit.gateway.database.pool.transaction { transaction in
            // The request waits for this lock after it has checked the password.
            _ = try await transaction.execute("LOCK TABLE session IN SHARE MODE")
            let request = Task {
                try await visit.submit(page, "signIn", ["email": email, "password": "long enough"])
            }
            try await visit.gateway.database.waitForBlockedStatements()
            _ = try await transaction.execute("DELETE FROM sign_in_flow")
            return request
        }
        let answer = try await request.value
        #expect(answer.status == 400)
        #expect(answer.result == nil)
        #expect(answer.text.contains("This page was out of date."))
        #expect(try await visit.activeSessions(of: ada.localId) == sessions)
        #expect(try await visit.linkedIdentities() == 0)
    }
}

extension SignInPageVisit {
    fileprivate func requestEmail(to address: String, on page: Exchange) async throws -> Exchange {
        gateway.clock.advance(by: .seconds(1))
        return try await follow(
            try await submit(try await screen("emailCode", of: page), "emailCode", ["email": address]))
    }

    /// What is stored of the only flow.
    fileprivate func storedContent() async throws -> String {
        let row = try await gateway.database.pool.query("SELECT content FROM sign_in_flow").first
        return try #require(try row?.decode("content"))
    }
}
