import HTTP
import Identity
import JSON
import Postgres
import Simulators
import Testing

@testable import Support

@Suite("Guests on the sign-in page")
struct GuestSignInTests {
    private static func visit(
        _ profile: Policy.Profile = .firebase, _ change: (inout Policy) -> Void = { _ in }
    ) async throws -> SignInPageVisit {
        SignInPageVisit(
            try await TestGateway.withAppleGoogleAndOpenID(#""platform": "web""#, profile) { policy in
                policy.emailEnumerationProtection = false
                change(&policy)
            })
    }

    @Test("A guest keeps the account: the page says so, and the exchange links the identity after the confirmation")
    func upgrade() async throws {
        let visit = try await Self.visit()
        let (guest, page) = try await visit.openAsGuest()
        #expect(page.text.contains("Sign in to keep this account"))
        let preview = try await visit.follow(try await visit.signIn(with: "google.com", on: page))
        #expect(preview.heading == "Keep your guest account")
        #expect(preview.text.contains("you sign in to this account with <bdi>Google</bdi>"))
        let done = try await visit.submit(preview, "confirm").requiredResult()
        #expect(try await visit.linkedIdentities() == 0, "the exchange links")
        let answer = try await visit.exchange(done)
        #expect(answer.json["user_id"]?.string == guest.localId, "\(answer.text)")
        #expect(try await visit.linkedIdentities() == 1)
        #expect(try await visit.exchange(done).wireCode == "INVALID_CODE")
    }

    @Test("A guest who has an account sees the merge, and the exchange commits it after the confirmation")
    func merge() async throws {
        let visit = try await Self.visit()
        let ada = try await visit.signUpAtProvider()
        let sessions = try await visit.activeSessions(of: ada)
        let (guest, page) = try await visit.openAsGuest()
        let preview = try await visit.follow(try await visit.signIn(with: "google.com", on: page))
        #expect(preview.heading == "You already have an account")
        #expect(preview.text.contains("your guest account becomes part of this account"))
        let done = try await visit.submit(preview, "confirm").requiredResult()
        #expect(try await visit.gateway.lookup(guest.idToken).status == 200, "the exchange merges")
        let answer = try await visit.exchange(done)
        #expect(answer.json["user_id"]?.string == ada, "\(answer.text)")
        #expect(try await visit.gateway.lookup(guest.idToken).status == 400)
        let idToken = try #require(answer.json["id_token"]?.string)
        #expect(try await visit.gateway.lookup(idToken).status == 200)
        #expect(try await visit.activeSessions(of: ada) == sessions + 1, "the session on the page has ended")
        #expect(try await visit.exchange(done).wireCode == "INVALID_CODE")
        #expect(try await visit.gateway.lookup(idToken).status == 400, "two parties have the code")
    }

    @Test("A guest signs in to an account with its password, and the page says which name is lost")
    func password() async throws {
        let visit = try await Self.visit()
        let ada = try await visit.gateway.signUp(email: "ada@example.com")
        _ = try await visit.gateway.update(ada.idToken, ["displayName": "Ada"])
        let (guest, page) = try await visit.openAsGuest()
        _ = try await visit.gateway.update(guest.idToken, ["displayName": "Player 1"])
        let preview = try await visit.follow(
            try await visit.submit(page, "signIn", ["email": "ada@example.com", "password": "secret1"]))
        #expect(preview.text.contains("Account: <bdi>Ada</bdi>"))
        #expect(preview.text.contains("The name <bdi>Player 1</bdi> of your guest account is not kept."))
        let answer = try await visit.exchange(try await visit.submit(preview, "confirm").requiredResult())
        #expect(answer.json["user_id"]?.string == ada.localId, "\(answer.text)")
        #expect(try await visit.gateway.lookup(guest.idToken).status == 400)
    }

    @Test("The second factor of the account is asked before the preview", arguments: [true, false])
    func secondFactor(withProvider: Bool) async throws {
        let visit = try await Self.visit(.sekisho) { policy in
            policy.secondFactors = SecondFactorPolicy(state: .enabled, allowsTOTP: true, allowsSMS: false)
        }
        let address = "grace@example.com"
        let grace = try await visit.gateway.enrol(
            try await visit.gateway.signUpVerified(email: address, password: "long enough"))
        if withProvider { try await visit.link("google.com", to: grace.idToken) }
        let (_, page) = try await visit.openAsGuest()
        let asked =
            withProvider
            ? try await visit.signIn(with: "google.com", on: page)
            : try await visit.submit(page, "signIn", ["email": address, "password": "long enough"])
        let code = try await visit.follow(asked)
        #expect(code.heading == "Enter your code")
        let preview = try await visit.follow(
            try await visit.submit(code, "secondFactor", ["code": grace.app.code(at: visit.gateway.clock.now)]))
        #expect(preview.heading == "You already have an account", "\(preview.text)")
        let answer = try await visit.exchange(try await visit.submit(preview, "confirm").requiredResult())
        #expect(answer.json["user_id"]?.string == grace.localId, "\(answer.text)")
    }

    @Test("To cancel changes nothing, and ends the session of the sign-in", arguments: [true, false])
    func cancel(isMerge: Bool) async throws {
        let visit = try await Self.visit()
        let ada = isMerge ? try await visit.signUpAtProvider() : ""
        let sessions = try await visit.activeSessions(of: ada)
        let identities = try await visit.linkedIdentities()
        let (guest, page) = try await visit.openAsGuest()
        let preview = try await visit.follow(try await visit.signIn(with: "google.com", on: page))
        let cancelled = try await visit.submit(preview, "cancel")
        #expect(cancelled.result?.contains("error=access_denied") == true)
        #expect(try await visit.gateway.lookup(guest.idToken).status == 200)
        #expect(try await visit.linkedIdentities() == identities)
        #expect(try await visit.activeSessions(of: ada) == sessions)
        #expect(try await visit.submit(preview, "confirm").result == nil)
    }

    @Test("The wrong account: the guest returns to the methods, and the session of the sign-in ends")
    func otherAccount() async throws {
        let visit = try await Self.visit()
        let ada = try await visit.signUpAtProvider()
        let grace = try await visit.gateway.signUp(email: "grace@example.com")
        let sessions = try await visit.activeSessions(of: ada)
        let (_, page) = try await visit.openAsGuest()
        let preview = try await visit.follow(try await visit.signIn(with: "google.com", on: page))
        let methods = try await visit.follow(try await visit.submit(preview, "notNow"))
        #expect(try await visit.activeSessions(of: ada) == sessions)
        let other = try await visit.follow(
            try await visit.submit(methods, "signIn", ["email": "grace@example.com", "password": "secret1"]))
        let answer = try await visit.exchange(try await visit.submit(other, "confirm").requiredResult())
        #expect(answer.json["user_id"]?.string == grace.localId, "\(answer.text)")
    }

    @Test("The address of another account: its owner signs in, and nothing is linked")
    func conflict() async throws {
        let visit = try await Self.visit(.sekisho)
        let email = try #require(SimulatedPerson.ada.email)
        let ada = try await visit.gateway.signUp(email: email, password: "long enough")
        let (guest, page) = try await visit.openAsGuest()
        let conflict = try await visit.follow(try await visit.signIn(with: "google.com", on: page))
        #expect(conflict.heading == "You already have an account")
        #expect(conflict.text.contains("Another account has the address of your <bdi>Google</bdi> account."))
        let preview = try await visit.follow(
            try await visit.submit(conflict, "signIn", ["email": email, "password": "long enough"]))
        let answer = try await visit.exchange(try await visit.submit(preview, "confirm").requiredResult())
        #expect(answer.json["user_id"]?.string == ada.localId, "\(answer.text)")
        #expect(try await visit.linkedIdentities() == 0)
        #expect(try await visit.gateway.lookup(guest.idToken).status == 400)
    }

    @Test("With email enumeration protection, a conflict reveals nothing about the account with the address")
    func hiddenConflict() async throws {
        let visit = try await Self.visit(.sekisho) { $0.emailEnumerationProtection = true }
        let email = try #require(SimulatedPerson.ada.email)
        _ = try await visit.gateway.signUp(email: email, password: "long enough")
        let (_, page) = try await visit.openAsGuest()
        let returned = try await visit.signIn(with: "oidc.corp", on: page)
        let conflict = try await visit.follow(returned)
        #expect(conflict.heading == "Keep your guest account", "\(conflict.text)")
        for revealing in [email, "You have used this before", "account has the address"] {
            #expect(!conflict.text.contains(revealing), "\(revealing)")
        }
    }
}

extension SignInPageVisit {
    /// Opens the page for a new guest.
    func openAsGuest() async throws -> (TestGateway.Tokens, Exchange) {
        let guest = try await gateway.signUpAnonymously()
        return (guest, try await openURI(["operation": "LINK", "idToken": .string(guest.idToken)]))
    }

    /// Signs in with a provider for the first time, and returns the new account.
    func signUpAtProvider(
        _ provider: String = "google.com", _ person: SimulatedPerson = .ada
    ) async throws -> String {
        let other = SignInPageVisit(gateway)
        let done = try await other.signIn(person, with: provider, on: try await other.open()).requiredResult()
        return try #require(try await exchange(done).json["user_id"]?.string)
    }

    /// Links a provider to the account of an ID token.
    func link(_ provider: String, to idToken: String) async throws {
        let page = try await openURI(["operation": "LINK", "idToken": .string(idToken)])
        #expect(try await exchange(signIn(with: provider, on: page).requiredResult()).status == 200)
    }

    func activeSessions(of account: String) async throws -> Int {
        try await gateway.database.pool.query(
            """
            SELECT count(*)::int AS n FROM session s JOIN account a ON a.id = s.account_id AND a.generation = s.generation
            WHERE a.id = \(account) AND s.ended_at IS NULL
            """
        ).first?.decode("n") ?? 0
    }
}
