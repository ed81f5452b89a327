import HTTP
import Identity
import JSON
import Postgres
import Testing

@testable import Support

/// Codes of the sign-in page that link an identity or merge a guest account at the exchange.
@Suite("Codes of links")
struct LinkCodeTests {
    enum Link: String, CaseIterable {
        case identity, identityOfGuest, passwordOfGuest, merge
    }

    private static let credentials = ["email": "ada@example.com", "password": "long enough"]

    /// The result of a page on which the user has confirmed the link.
    private static func result(of link: Link, _ visit: SignInPageVisit) async throws -> String {
        switch link {
        case .identity:
            let ada = try await visit.gateway.signUp(email: "ada@example.com")
            let page = try await visit.openURI(["operation": "LINK", "idToken": .string(ada.idToken)])
            return try await visit.signIn(with: "google.com", on: page).requiredResult()
        case .identityOfGuest:
            let (_, page) = try await visit.openAsGuest()
            return try await visit.confirm(visit.signIn(with: "google.com", on: page))
        case .passwordOfGuest:
            let (_, page) = try await visit.openAsGuest()
            let sent = try await visit.follow(
                visit.submit(visit.screen("signUp", of: page), "signUp", credentials))
            return try await visit.confirm(visit.submit(sent, "enterCode", ["code": visit.lastEmail().code]))
        case .merge:
            _ = try await visit.signUpAtProvider()
            let (_, page) = try await visit.openAsGuest()
            return try await visit.confirm(visit.signIn(with: "google.com", on: page))
        }
    }

    @Test(
        "Of two exchanges of one code at once, one has an effect, and the other gets INVALID_CODE",
        arguments: Link.allCases)
    func exchangedTwiceAtOnce(link: Link) async throws {
        let visit = SignInPageVisit(try await TestGateway.withAppleGoogleAndOpenID(#""platform": "web""#))
        let result = try await Self.result(of: link, visit)
        let identities = try await visit.linkedIdentities()
        let requests = try await visit.gateway.database.pool.transaction { transaction in
            // Both requests have found the code when they wait for this lock, or for each other.
            _ = try await transaction.execute("LOCK TABLE session IN SHARE MODE")
            let requests = (0..<2).map { _ in Task { try await visit.exchange(result) } }
            try await visit.gateway.database.waitForBlockedStatements(2)
            return requests
        }
        let answers = try await requests.asyncMap { try await $0.value }
        #expect(answers.count { $0.status == 200 } == 1, "\(answers.map(\.text))")
        #expect(answers.compactMap(\.wireCode) == ["INVALID_CODE"], "\(answers.map(\.text))")
        let added = [.identity, .identityOfGuest].contains(link) ? 1 : 0
        #expect(try await visit.linkedIdentities() == identities + added)
        let done = answers.first { $0.status == 200 }
        let idToken = try #require(done?.json["id_token"]?.string)
        #expect(try await visit.gateway.lookup(idToken).status == 400, "two parties have the code")
        #expect(try await visit.exchange(result).wireCode == "INVALID_CODE")
    }
}

extension SignInPageVisit {
    /// Confirms the preview to which a guest was led.
    fileprivate func confirm(_ redirect: Exchange) async throws -> String {
        try await submit(try await follow(redirect), "confirm").requiredResult()
    }
}
