import HTTP
import Identity
import JSON
import Postgres
import Testing

@testable import Support

/// What a guest confirms is what the page has shown.
@Suite("Previews for guests on the sign-in page")
struct GuestPreviewTests {
    private static func visit(_ change: (inout Policy) -> Void = { _ in }) async throws -> SignInPageVisit {
        SignInPageVisit(
            try await TestGateway.withAppleGoogleAndOpenID(#""platform": "web""#) { policy in
                policy.emailEnumerationProtection = false
                change(&policy)
            })
    }

    @Test("Two tabs of one visit: the form of the earlier preview confirms nothing, and shows the later one")
    func twoTabs() async throws {
        let visit = try await Self.visit()
        _ = try await visit.signUpAtProvider("google.com")
        let (guest, page) = try await visit.openAsGuest()
        let merge = try await visit.follow(try await visit.signIn(with: "google.com", on: page))
        let upgrade = try await visit.follow(try await visit.signIn(with: "oidc.corp", on: page))
        #expect(upgrade.heading == "Keep your guest account")
        let stale = try await visit.submit(merge, "confirm")
        #expect(stale.status == 400)
        #expect(stale.result == nil)
        #expect(stale.heading == "Keep your guest account")
        #expect(stale.text.contains("This page was out of date."))
        let answer = try await visit.exchange(try await visit.submit(stale, "confirm").requiredResult())
        #expect(answer.json["user_id"]?.string == guest.localId, "\(answer.text)")
    }

    @Test("A form without the ID of its preview confirms nothing")
    func withoutID() async throws {
        let visit = try await Self.visit()
        let (_, page) = try await visit.openAsGuest()
        let preview = try await visit.follow(try await visit.signIn(with: "google.com", on: page))
        for id in ["", "AAAA"] {
            let answer = try await visit.submit(preview, "confirm", ["preview": id])
            #expect(answer.status == 400)
            #expect(answer.result == nil)
        }
    }

    @Test("Two visits of one guest: the first exchange decides, and the code of the other one is not valid")
    func twoVisits() async throws {
        let visit = try await Self.visit()
        let ada = try await visit.signUpAtProvider("google.com")
        let (guest, first) = try await visit.openAsGuest()
        let second = try await visit.openURI(["operation": "LINK", "idToken": .string(guest.idToken)])
        let upgrade = try await visit.follow(try await visit.signIn(with: "oidc.corp", on: first))
        let merge = try await visit.follow(try await visit.signIn(with: "google.com", on: second))
        let keeping = try await visit.submit(upgrade, "confirm").requiredResult()
        let merging = try await visit.submit(merge, "confirm").requiredResult()
        let answer = try await visit.exchange(keeping)
        #expect(answer.json["user_id"]?.string == guest.localId, "\(answer.text)")
        #expect(try await visit.exchange(merging).wireCode == "INVALID_CODE")
        let idToken = try #require(answer.json["id_token"]?.string)
        #expect(try await visit.gateway.lookup(idToken).status == 200)
        #expect(ada != guest.localId)
    }

    @Test("A guest who has become a user in the meantime confirms nothing")
    func noLongerGuest() async throws {
        let visit = try await Self.visit()
        let ada = try await visit.signUpAtProvider("google.com")
        let sessions = try await visit.activeSessions(of: ada)
        let (guest, page) = try await visit.openAsGuest()
        let preview = try await visit.follow(try await visit.signIn(with: "google.com", on: page))
        let upgraded = try await visit.gateway.post(
            "/v1/accounts:signUp",
            ["idToken": .string(guest.idToken), "email": "guest@example.com", "password": "secret1"])
        #expect(upgraded.json["localId"]?.string == guest.localId, "\(upgraded.text)")
        let late = try await visit.submit(preview, "confirm")
        #expect(late.result?.contains("error=login_required") == true)
        #expect(try await visit.activeSessions(of: ada) == sessions)
    }

    @Test("An account that has changed since the preview is shown again before the merge")
    func changedAccount() async throws {
        let visit = try await Self.visit()
        let ada = try await visit.gateway.signUp(email: "ada@example.com")
        let (guest, page) = try await visit.openAsGuest()
        _ = try await visit.gateway.update(guest.idToken, ["displayName": "Player 1"])
        let preview = try await visit.follow(
            try await visit.submit(page, "signIn", ["email": "ada@example.com", "password": "secret1"]))
        #expect(preview.text.contains("The name <bdi>Player 1</bdi> is kept."))
        _ = try await visit.gateway.update(ada.idToken, ["displayName": "Ada"])
        let changed = try await visit.submit(preview, "confirm")
        #expect(changed.status == 400)
        #expect(changed.text.contains("The name <bdi>Player 1</bdi> of your guest account is not kept."))
        let answer = try await visit.exchange(try await visit.submit(changed, "confirm").requiredResult())
        #expect(answer.json["user_id"]?.string == ada.localId, "\(answer.text)")
    }

    @Test("An identity that has got an account since the preview leads to the merge with this account")
    func takenIdentity() async throws {
        let visit = try await Self.visit()
        let (_, page) = try await visit.openAsGuest()
        let preview = try await visit.follow(try await visit.signIn(with: "google.com", on: page))
        #expect(preview.heading == "Keep your guest account")
        let ada = try await visit.signUpAtProvider("google.com")
        let merge = try await visit.follow(try await visit.submit(preview, "confirm"))
        #expect(merge.heading == "You already have an account")
        let answer = try await visit.exchange(try await visit.submit(merge, "confirm").requiredResult())
        #expect(answer.json["user_id"]?.string == ada, "\(answer.text)")
    }

    @Test("A merge needs a new sign-in after five minutes, an upgrade after half an hour", arguments: [true, false])
    func oldPreview(isMerge: Bool) async throws {
        let visit = try await Self.visit()
        let ada = isMerge ? try await visit.signUpAtProvider() : ""
        let sessions = try await visit.activeSessions(of: ada)
        let (guest, page) = try await visit.openAsGuest()
        let preview = try await visit.follow(try await visit.signIn(with: "google.com", on: page))
        visit.gateway.clock.advance(by: .seconds(isMerge ? 301 : 1801))
        let late = try await visit.submit(preview, "confirm")
        #expect(late.status == 400)
        #expect(late.result == nil)
        #expect(late.text.contains("This step has expired."))
        #expect(try await visit.activeSessions(of: ada) == sessions)
        #expect(guest.localId != ada)
    }

    @Test("If the user signs out of the account after the confirmation, the code merges nothing")
    func endedSession() async throws {
        let visit = try await Self.visit()
        let ada = try await visit.signUpAtProvider()
        let (guest, page) = try await visit.openAsGuest()
        let preview = try await visit.follow(try await visit.signIn(with: "google.com", on: page))
        let done = try await visit.submit(preview, "confirm").requiredResult()
        _ = try await visit.gateway.database.pool.execute(
            "UPDATE account SET generation = generation + 1 WHERE id = \(ada)")
        #expect(try await visit.exchange(done).wireCode == "INVALID_CODE")
        #expect(try await visit.gateway.lookup(guest.idToken).status == 200)
    }

    @Test("A merge that the project does not allow returns to the app, and changes nothing")
    func notAllowed() async throws {
        let visit = try await Self.visit { $0.allowsDeletion = false }
        let ada = try await visit.signUpAtProvider()
        let sessions = try await visit.activeSessions(of: ada)
        let (guest, page) = try await visit.openAsGuest()
        let returned = try await visit.signIn(with: "google.com", on: page)
        #expect(returned.location?.hasPrefix("https://localhost/done?error=already_linked&") == true)
        #expect(try await visit.gateway.lookup(guest.idToken).status == 200)
        #expect(try await visit.activeSessions(of: ada) == sessions)
    }
}
