import HTML
import Identity
import Testing

@testable import Pages

@Suite("Activity on the account page")
struct ActivityPageTests {
    static func event(_ action: String, _ detail: [String: String] = [:], actor: String = "user") -> AuditEvent {
        AuditEvent(
            id: "1", note: AuditNote(action, "ada", detail), actor: actor, trace: .none,
            occurredAt: Instant(seconds: 1_767_225_600))
    }

    @Test("Every action about an account that this release writes has a text of its own")
    func known() {
        let actions =
            AccountEvent.Kind.allCases.map(\.rawValue) + AuditNote.AccountAction.allCases.map(\.rawValue)
        for action in actions { #expect(ActivityText(AuditNote(action, "ada")) != .other, "\(action)") }
        #expect(ActivityText(AuditNote("later.added", "ada")) == .other)
    }

    @Test("One session and all sessions, and both kinds of second factors, have different texts")
    func details() {
        #expect(ActivityText(Self.event("session.revoked", ["all": "true"]).note) == .sessionsEnded)
        #expect(ActivityText(Self.event("session.revoked", ["sessionId": "1"]).note) == .sessionEnded)
        #expect(ActivityText(Self.event("factor.added", ["factor": "phone"]).note) == .phoneFactorAdded)
        #expect(ActivityText(Self.event("factor.removed", ["factor": "totp"]).note) == .authenticatorRemoved)
    }

    @Test(
        "Times are relative for 48 hours, then dates",
        arguments: [
            (0, "just now"), (59, "just now"), (60, "1 minute ago"), (3599, "59 minutes ago"), (3600, "1 hour ago"),
            (48 * 3600 - 1, "47 hours ago"), (48 * 3600, "1 January 2026, 00:00 UTC"), (-5, "just now"),
        ])
    func times(age: Int, expected: String) {
        let instant = Instant(seconds: 1_767_225_600)
        let markup = Markup.time(instant, now: instant + .seconds(age), in: .english).html
        #expect(markup == #"<time datetime="2026-01-01T00:00:00.000Z">\#(expected)</time>"#)
    }
}
