import Identity
import Testing

@testable import Support

@Suite("The email in which an invited person sets a password", .serialized)
struct InvitationEmailTests {
    @Test("It names the role and the project of the invitation that the person opened", arguments: ["other", "demo"])
    func invited(project: String) async throws {
        let fixture = try await ConsoleFixture()
        let link = try await fixture.link("ada@example.com", in: project)
        try await fixture.open(link, as: "ada@example.com")
        let content = try #require(try await fixture.gateway.emails(.resetPassword).last?.content)
        #expect(
            content.invitation == .init(role: .support, project: project == "other" ? nil : ID(project)),
            "\(content)")
    }

    @Test("Without a valid invitation of the person, it is the email that resets a password")
    func others() async throws {
        let fixture = try await ConsoleFixture()
        let link = try await fixture.link("ada@example.com", in: "demo")
        _ = try await fixture.link("eve@example.com", in: "demo")
        let visitor = ConsoleVisitor(fixture.gateway)
        let page = try await visitor.open("/console/invitation")
        _ = try await visitor.submit(page, "invitation", ["email": "ada@example.com"])
        try await fixture.open(link, as: "eve@example.com")
        try await fixture.open("/console/invitation?code=unknown", as: "ada@example.com")
        fixture.gateway.clock.advance(by: .seconds(24 * 3600))
        try await fixture.open(link, as: "ada@example.com")
        let emails = try await fixture.gateway.emails(.resetPassword)
        #expect(emails.count == 4 && emails.allSatisfy { $0.content.invitation == nil })
    }
}

extension ConsoleFixture {
    /// Invites a person for the role support.
    ///
    /// - Returns: the path of the link.
    fileprivate func link(_ email: String, in project: String) async throws -> String {
        let invited = try await invite(email, "support", in: project)
        let link = try #require(invited.json["invitationUri"]?.string, "\(invited.text)")
        return String(link.dropFirst("https://auth.example.com".count))
    }

    /// Asks for the email on the page of an invitation.
    fileprivate func open(_ link: String, as email: String) async throws {
        let visitor = ConsoleVisitor(gateway)
        let sent = try await visitor.submit(try await visitor.open(link), "invitation", ["email": email])
        #expect(sent.heading == "Check your email", "\(sent.text)")
    }
}
