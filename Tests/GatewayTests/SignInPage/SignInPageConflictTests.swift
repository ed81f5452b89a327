import HTTP
import Identity
import JSON
import Postgres
import Simulators
import Testing

@testable import Support

/// An identity whose address belongs to another account waits for the proof of that account's owner.
@Suite("Attacks on conflicts of the sign-in page")
struct SignInPageConflictTests {
    private static let password = "long enough"
    private static let email = SimulatedPerson.ada.email ?? ""

    /// A browser on the page of a gateway with Ada's account, whose address Google does not prove.
    private static func visit(
        protectsEnumeration: Bool = false
    ) async throws -> (SignInPageVisit, ada: TestGateway.Tokens) {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID(#""platform": "web""#, .sekisho) {
            $0.emailEnumerationProtection = protectsEnumeration
        }
        let visit = SignInPageVisit(gateway)
        return (visit, try await gateway.signUpVerified(email: email, password: password))
    }

    private static let credentials = ["email": email, "password": password]

    @Test("Another provider of a wrong person links nothing, creates no account, and leads back to the conflict")
    func wrongPerson() async throws {
        let (visit, ada) = try await Self.visit()
        let other = try await visit.signUpAtProvider("apple.com", .grace)
        let accounts = try await visit.accountCount()
        let sessions = try await visit.activeSessions(of: other)
        var page = try await visit.follow(try await visit.signIn(with: "google.com", on: try await visit.open()))
        for person in [SimulatedPerson.grace, .mary] {
            let returned = try await visit.signIn(person, with: "apple.com", on: page)
            #expect(returned.status == 303)
            page = try await visit.follow(returned)
            #expect(page.heading == "You already have an account")
            #expect(page.text.contains("This is another account."))
        }
        #expect(try await visit.accountCount() == accounts)
        #expect(try await visit.activeSessions(of: other) == sessions)
        #expect(try await visit.linkedIdentities() == 1, "only the identity of the other account")
        let done = try await visit.submit(page, "signIn", Self.credentials)
        #expect(try await visit.exchange(done.requiredResult()).json["user_id"]?.string == ada.localId)
        #expect(try await visit.linkedIdentities() == 2)
    }

    @Test(
        "With email enumeration protection, the page does not state that the account exists or gets the identity",
        arguments: [true, false])
    func hiddenConflict(hasOtherIdentity: Bool) async throws {
        let (visit, ada) = try await Self.visit(protectsEnumeration: true)
        if hasOtherIdentity {
            let linked = try await visit.signIn(
                .grace, with: "oidc.corp", on: visit.openURI(["operation": "LINK", "idToken": .string(ada.idToken)]))
            #expect(try await visit.exchange(linked.requiredResult()).status == 200)
        }
        visit.gateway.simulators.corporate.tellAddress(Self.email, of: SimulatedPerson.ada.id)
        let page = try await visit.follow(try await visit.signIn(with: "oidc.corp", on: try await visit.open()))
        #expect(page.heading == "Try another way", "\(page.text)")
        #expect(page.text.contains("account alone. If you already have an account, sign in another way."))
        #expect(page.text.contains("If possible, <bdi>") && page.text.contains("</bdi> is then added to your account."))
        #expect(!page.text.contains(Self.email) && !page.text.contains("You have used this before"))
        let done = try await visit.submit(page, "signIn", Self.credentials)
        #expect(try await visit.exchange(done.requiredResult()).json["user_id"]?.string == ada.localId)
        #expect(try await visit.linkedIdentities() == 1)
    }

    @Test("A user who cancels at another provider is back at the conflict")
    func cancelledElsewhere() async throws {
        let (visit, _) = try await Self.visit()
        let page = try await visit.follow(try await visit.signIn(with: "google.com", on: try await visit.open()))
        let returned = try await visit.signIn(with: "oidc.corp", on: page) { response in
            response = response.filter { $0.0 == "state" } + [("error", "access_denied")]
        }
        let back = try await visit.follow(returned)
        #expect(back.heading == "You already have an account")
        #expect(back.text.contains("You cancelled the sign-in."))
    }

    @Test("A tab that does not show the conflict signs in without linking")
    func otherTab() async throws {
        let (visit, ada) = try await Self.visit()
        let plain = try await visit.open()
        let conflict = try await visit.follow(try await visit.signIn(with: "google.com", on: plain))
        #expect(conflict.heading == "You already have an account")
        let done = try await visit.submit(plain, "signIn", Self.credentials)
        #expect(try await visit.exchange(done.requiredResult()).json["user_id"]?.string == ada.localId)
        #expect(try await visit.linkedIdentities() == 0)
    }

    @Test("Two conflicts of one visit: the tab of the former one links nothing, and says so")
    func twoConflicts() async throws {
        let (visit, _) = try await Self.visit()
        let (grace, graceCredentials) = try await visit.signUpGrace()
        let plain = try await visit.open()
        let first = try await visit.follow(try await visit.signIn(with: "google.com", on: plain))
        let second = try await visit.follow(try await visit.signIn(.grace, with: "google.com", on: plain))
        #expect(second.heading == "You already have an account")
        let former = try await visit.submit(first, "signIn", Self.credentials)
        #expect(former.status == 400)
        #expect(former.result == nil)
        #expect(former.text.contains("This page was out of date."))
        let done = try await visit.submit(second, "signIn", graceCredentials)
        #expect(try await visit.exchange(done.requiredResult()).json["user_id"]?.string == grace)
        #expect(try await visit.owners() == [grace])
    }

    @Test("Two visits with two conflicts each link their own identity")
    func twoVisits() async throws {
        let (visit, ada) = try await Self.visit()
        let (grace, graceCredentials) = try await visit.signUpGrace()
        let first = try await visit.follow(try await visit.signIn(with: "google.com", on: try await visit.open()))
        let second = try await visit.follow(
            try await visit.signIn(.grace, with: "google.com", on: try await visit.open()))
        for (page, credentials, owner) in [(first, Self.credentials, ada.localId), (second, graceCredentials, grace)] {
            let done = try await visit.submit(page, "signIn", credentials)
            #expect(try await visit.exchange(done.requiredResult()).json["user_id"]?.string == owner)
        }
        #expect(try await visit.owners() == [ada.localId, grace].sorted())
    }

    @Test("After half an hour, the proof of the identity has expired: the user signs in anew, and nothing is linked")
    func expired() async throws {
        let (visit, ada) = try await Self.visit()
        let page = try await visit.follow(try await visit.signIn(with: "google.com", on: try await visit.open()))
        visit.gateway.clock.advance(by: .seconds(1801))
        let sessions = try await visit.activeSessions(of: ada.localId)
        let late = try await visit.submit(page, "signIn", Self.credentials)
        #expect(late.status == 400)
        #expect(late.heading == "Sign in")
        #expect(late.text.contains("This step has expired."))
        #expect(try await visit.activeSessions(of: ada.localId) == sessions)
        let done = try await visit.submit(late, "signIn", Self.credentials)
        #expect(try await visit.exchange(done.requiredResult()).json["user_id"]?.string == ada.localId)
        #expect(try await visit.linkedIdentities() == 0)
    }
}

extension SignInPageVisit {
    fileprivate func accountCount() async throws -> Int {
        try await gateway.database.pool.query("SELECT count(*)::int AS n FROM account").first?.decode("n") ?? 0
    }

    /// The providers of all linked identities.
    /// Signs up the second person of the conflicts, and returns the account and its credentials.
    fileprivate func signUpGrace() async throws -> (localID: String, credentials: [String: String]) {
        let credentials = ["email": try #require(SimulatedPerson.grace.email), "password": "long enough"]
        let grace = try await gateway.signUpVerified(email: credentials["email"] ?? "", password: "long enough")
        return (grace.localId, credentials)
    }

    /// The accounts with linked identities.
    fileprivate func owners() async throws -> [String] {
        try await gateway.database.pool.query(
            "SELECT account_id FROM linked_identity ORDER BY account_id COLLATE \"C\""
        )
        .map { try $0.decode("account_id") }
    }
}
