import Identity
import Pages
import SMTP
import Testing

@testable import Email

@Suite("The email to a person who was invited to the console")
struct InvitationEmailTests {
    @Test(
        "It names the console, the role and the project, and lets the person set a password",
        arguments: Language.allCases, [ID<Project>("shop"), nil])
    func invitation(language: Language, project: ID<Project>?) throws {
        var payload = EmailPayload(code: "code", apiKey: "key")
        payload.invitation = EmailPayload.ConsoleInvitation(role: .support, project: project)
        let realm = EmailRendererTests.realm { $0.subjects = [.resetPassword: [language: "Reset"]] }
        let message = try EmailRendererTests.message(.resetPassword, language, payload, in: realm)
        #expect(message.subject.contains("Tom & Jerry's <App>"), "not the subject of a reset")
        #expect(message.text.contains("support") && message.text.contains("mode=resetPassword"))
        #expect(message.text.contains("shop") == (project != nil))
        #expect(!message.html.contains("<App>"))
        let reset = Text(EmailText.resetPasswordLink).string(in: language)
        #expect(!message.text.contains(reset))
    }
}
