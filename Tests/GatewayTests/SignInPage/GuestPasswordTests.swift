import HTTP
import Identity
import Testing

@testable import Support

@Suite("A guest keeps the account with a password")
struct GuestPasswordTests {
    private static let ada = "ada@example.com"
    private static let credentials = ["email": ada, "password": "long enough"]

    /// A project with passwords and guests only.
    private static func visit(protectsEnumeration: Bool = true) async throws -> SignInPageVisit {
        SignInPageVisit(
            try await TestGateway { policy in
                policy.emailEnumerationProtection = protectsEnumeration
                policy.allowsEmailLinks = false
            })
    }

    @Test(
        "The mailbox is proven first, and the exchange gives the guest the address and the password",
        arguments: [true, false])
    func keep(protectsEnumeration: Bool) async throws {
        let visit = try await Self.visit(protectsEnumeration: protectsEnumeration)
        let (guest, page) = try await visit.openAsGuest()
        let form = try await visit.screen("signUp", of: page)
        #expect(form.heading == "Create an account", "\(form.text)")
        let sent = try await visit.follow(visit.submit(form, "signUp", Self.credentials))
        #expect(sent.heading == "Check your email", "\(sent.text)")
        #expect(try await visit.lastEmail().keepsGuest == true, "its text says what the code is for")
        let wrong = try await visit.submit(sent, "enterCode", ["code": "not it"])
        #expect(wrong.status == 400 && wrong.result == nil, "\(wrong.text)")
        let preview = try await visit.follow(
            visit.submit(sent, "enterCode", ["code": visit.lastEmail().code]))
        #expect(preview.heading == "Keep your guest account", "\(preview.text)")
        #expect(try await visit.gateway.signIn(email: Self.ada, password: "long enough").status == 400, "not yet")
        let answer = try await visit.exchange(visit.submit(preview, "confirm").requiredResult())
        #expect(answer.json["user_id"]?.string == guest.localId, "\(answer.text)")
        let user = try await visit.gateway.accountSeenByUser(#require(answer.json["id_token"]?.string))
        #expect(user["email"]?.string == Self.ada && user["emailVerified"] == true)
        let again = try await visit.gateway.signIn(email: Self.ada, password: "long enough")
        #expect(again.json["localId"]?.string == guest.localId, "\(again.text)")
    }

    @Test("Every earlier session of the guest ends, because a copy of its tokens would lead into the owner's account")
    func sessions() async throws {
        let visit = try await Self.visit()
        let gateway = visit.gateway
        let (guest, page) = try await visit.openAsGuest()
        let form = try await visit.screen("signUp", of: page)
        let sent = try await visit.follow(visit.submit(form, "signUp", Self.credentials))
        // A guest cannot prove a recent login.
        gateway.clock.advance(by: .seconds(360))
        let preview = try await visit.follow(visit.submit(sent, "enterCode", ["code": visit.lastEmail().code]))
        #expect(try await gateway.refresh(guest.refreshToken).status == 200, "not yet")
        let answer = try await visit.exchange(visit.submit(preview, "confirm").requiredResult())
        #expect(answer.json["user_id"]?.string == guest.localId, "\(answer.text)")
        #expect(try await gateway.refresh(guest.refreshToken).wireCode == "TOKEN_EXPIRED")
        #expect(try await gateway.lookup(guest.idToken).status == 400)
        let renewed = try #require(answer.json["refresh_token"]?.string)
        #expect(try await gateway.refresh(renewed).status == 200)
        #expect(try await visit.activeSessions(of: guest.localId) == 1)
    }

    @Test("The address of another account gets no code, and the page does not tell the difference")
    func taken() async throws {
        let visit = try await Self.visit()
        _ = try await visit.gateway.signUpVerified(email: Self.ada, password: "another one")
        let (guest, page) = try await visit.openAsGuest()
        let form = try await visit.screen("signUp", of: page)
        let sent = try await visit.follow(visit.submit(form, "signUp", Self.credentials))
        #expect(sent.heading == "Check your email", "\(sent.text)")
        #expect(try await visit.gateway.signIn(email: Self.ada, password: "long enough").status == 400)
        #expect(try await visit.gateway.lookup(guest.idToken).status == 200)
    }

    @Test("If an account has got the address since the email, the guest gets nothing")
    func tooLate() async throws {
        let visit = try await Self.visit()
        let (guest, page) = try await visit.openAsGuest()
        let form = try await visit.screen("signUp", of: page)
        let sent = try await visit.follow(visit.submit(form, "signUp", Self.credentials))
        let code = try await visit.lastEmail().code
        let eve = try await visit.gateway.signUp(email: Self.ada, password: "another one")
        let late = try await visit.submit(sent, "enterCode", ["code": code])
        #expect(late.status == 400 && late.result == nil, "\(late.text)")
        #expect(try await visit.gateway.lookup(guest.idToken).status == 200)
        #expect(try await visit.gateway.signIn(email: Self.ada, password: "long enough").status == 400)
        #expect(try await visit.gateway.lookup(eve.idToken).status == 200)
    }
}
