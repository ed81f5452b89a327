import Encoding
import JOSE
import JSON
import Simulators
import Testing

@Suite("Notifications of Apple's simulator")
struct AppleNotificationTests {
    let fixture: AppleFixture

    init() throws { fixture = try AppleFixture() }

    @Test(
        "A notification contains its event as JSON in a string, with the time in milliseconds",
        arguments: SimulatedAppleEvent.allCases)
    func events(kind: SimulatedAppleEvent) throws {
        let token = try fixture.apple.notification(kind, about: .grace, audience: AppleFixture.app)
        let keyID = try #require(UnverifiedJWS(parsing: token).keyID)
        #expect(try header(of: token) == #"{"kid":"\#(keyID)","alg":"RS256"}"#)
        let claims = try fixture.claims(of: token)
        #expect(Set(claims.keys) == ["iss", "aud", "iat", "exp", "jti", "events"])
        #expect(claims["aud"] == .string(AppleFixture.app))
        #expect(claims["exp"] == .integer(fixture.clock.now + 86_400))
        let text = try #require(claims["events"]?.text)
        let event = try StrictJSON.decode(Claims.self, from: Array(text.utf8))
        #expect(event["type"] == .string(kind.rawValue))
        #expect(event["sub"] == .string(SimulatedApple.subject(of: .grace, in: AppleFixture.team)))
        #expect(event["event_time"] == .integer(fixture.clock.now * 1000))
        let isAboutEmail = [.emailDisabled, .emailEnabled].contains(kind)
        #expect((event["email"]?.text?.hasSuffix("@privaterelay.appleid.com") ?? false) == isAboutEmail)
        #expect(event["is_private_email"] == (isAboutEmail ? .string("true") : nil))
    }

    @Test("With the quirk eventsAreAnObject, the event is an object with the time in seconds; a test can remove exp")
    func eventAsObject() throws {
        fixture.apple.quirks.eventsAreAnObject = true
        let token = try fixture.apple.notification(.consentRevoked, about: .ada, audience: AppleFixture.app) {
            $0.claims["exp"] = nil
        }
        let claims = try fixture.claims(of: token)
        #expect(claims["exp"] == nil)
        guard case .object(let event) = claims["events"] else {
            Issue.record("expected an object")
            return
        }
        #expect(event["event_time"] == .integer(fixture.clock.now))
    }

    @Test("The posted body contains the notification as payload, and each notification has an ID of its own")
    func body() throws {
        let tokens = try (0..<2).map { _ in
            try fixture.apple.notification(.accountDelete, about: .ada, audience: AppleFixture.app)
        }
        let ids = try tokens.map { try fixture.claims(of: $0)["jti"] }
        #expect(ids[0] != ids[1])
        let body = try StrictJSON.decode(Claims.self, from: SimulatedApple.notificationBody(tokens[0]))
        #expect(body == ["payload": .string(tokens[0])])
    }
}
