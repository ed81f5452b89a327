import Encoding
import Identity
import JOSE
import JSON
import Providers
import Testing

@Suite("Notifications of Apple")
struct NotificationTests {
    private let clientIDs = ["com.example.app"]

    /// Returns a notification as a signed token, without the body of a request around it.
    private func token(
        _ event: JSONValue = ["type": "consent-revoked", "sub": "001", "event_time": 1_799_999_999_123],
        changing changes: Changes = [:], eventIsString: Bool = true
    ) throws -> String {
        let text = JSONValue.string(String(decoding: try StrictJSON.encode(event), as: UTF8.self))
        var claims: Changes = [
            "sub": .null, "email": .null, "email_verified": .null, "exp": .null, "jti": "one",
            "events": eventIsString ? text : event,
        ]
        claims.merge(changes) { $1 }
        return try appleToken(changing: claims)
    }

    /// Verifies the notification in the body of a request.
    private func read(_ body: String) async throws -> AppleNotification {
        try await AppleNotifications(keyCache: Fixture().keyCache).verify(body, for: clientIDs, at: Fixture.start)
    }

    /// Returns why the notification in `body` is rejected; `nil` if it is accepted.
    private func fault(of body: String) async -> IdentityTokenFault? {
        do {
            _ = try await read(body)
            return nil
        } catch ProviderRefusal.invalidToken(let fault) {
            return fault
        } catch {
            Issue.record(error)
            return nil
        }
    }

    @Test(
        "A notification may be a token or an object with the token, and its event may be a string or an object",
        arguments: [true, false], [true, false])
    func shapes(isWrapped: Bool, eventIsString: Bool) async throws {
        let token = try token(eventIsString: eventIsString)
        let notification = try await read(isWrapped ? #" {"payload":"\#(token)"}"# : token + "\n")
        #expect(notification.id == "one")
        #expect(notification.audience == "com.example.app")
        #expect(notification.kind == .consentRevoked)
        #expect(notification.subject == "001")
        #expect(notification.occurredAt == Instant(microseconds: 1_799_999_999_123_000))
        #expect(notification.email == nil && !notification.isPrivateEmail)
    }

    @Test(
        "Known types of events are recognized, and other types are kept as text",
        arguments: [
            ("email-disabled", .emailDisabled), ("email-enabled", .emailEnabled), ("consent-revoked", .consentRevoked),
            ("account-delete", .accountDeleted), ("account-deleted", .accountDeleted), ("new", .other("new")),
        ] as [(String, AppleNotification.Kind)])
    func kinds(type: String, kind: AppleNotification.Kind) async throws {
        #expect(try await read(token(["type": .string(type), "sub": "001"])).kind == kind)
    }

    @Test(
        "The time of an event is in seconds, or in milliseconds if above 100 000 000 000; an invalid time is nil",
        arguments: [
            (1_508_184_845, 1_508_184_845_000), (1_508_184_845_123, 1_508_184_845_123),
            (100_000_000_000, 100_000_000_000_000),
            (100_000_000_001, 100_000_000_001), (0, 0), (-1, nil), (1e300, nil), ("1508184845", nil), (nil, nil),
        ] as [(JSONValue?, Int64?)])
    func times(claim: JSONValue?, milliseconds: Int64?) async throws {
        var event: JSONObject = ["type": "email-enabled", "sub": "001"]
        event["event_time"] = claim
        #expect(try await read(token(.object(event))).occurredAt?.milliseconds == milliseconds)
    }

    @Test("A notification about email contains the address")
    func email() async throws {
        let event: JSONValue = [
            "type": "email-disabled", "sub": "001", "email": "x1@example.com", "is_private_email": "true",
        ]
        let notification = try await read(token(event))
        #expect(notification.email == EmailAddress("x1@example.com"))
        #expect(notification.isPrivateEmail)
    }

    @Test("A notification is accepted until one minute after its expiry")
    func expiry() async throws {
        let start = Fixture.start.seconds
        #expect(await fault(of: try token(changing: ["exp": .integer(start + 1)])) == nil)
        #expect(
            await fault(of: try token(changing: ["exp": .integer(start - 60)]))
                == .expired(at: Fixture.start - .seconds(60)))
    }

    @Test("A notification is rejected if a claim, the event or the body is not valid")
    func refusals() async throws {
        #expect(
            await fault(of: try token(changing: ["aud": "com.other"]))
                == .audience(expected: clientIDs, seen: ["com.other"]))
        #expect(
            await fault(of: try token(changing: ["iss": "https://attacker.example"]))
                == .issuer(expected: ["https://appleid.apple.com"], seen: "https://attacker.example"))
        #expect(await fault(of: try token(changing: ["iat": .null])) == .claim("iat"))
        #expect(await fault(of: try token(changing: ["jti": .null])) == .claim("jti"))
        #expect(await fault(of: try token(changing: ["jti": ""])) == .claim("jti"))
        for events: JSONValue in ["", "[]", "no", #"{"type":"a","type":"b"}"#, 7, []] {
            #expect(await fault(of: try token(changing: ["events": events])) == .claim("events"))
        }
        #expect(await fault(of: try token(["sub": "001"])) == .claim("events"))
        #expect(await fault(of: try token(["type": "consent-revoked"])) == .claim("sub"))
        #expect(await fault(of: try token(["type": "consent-revoked", "sub": ""])) == .claim("sub"))
        #expect(await fault(of: try appleToken()) == .claim("jti"))
        #expect(await fault(of: try token() + ".") == .malformed)
        for body in ["", "{}", "[]", "two words", #"{"payload":7}"#, #"{"payload":"a","payload":"b"}"#] {
            #expect(await fault(of: body) == .malformed)
        }
    }

    @Test("A notification is not accepted as an identity token")
    func notAnIdentityToken() async throws {
        let fixture = Fixture()
        let start = Fixture.start.seconds
        #expect(
            try await fixture.refusal(of: token(changing: ["exp": .integer(start + 600)]))
                == .invalidToken(.claim("sub")))
        #expect(
            try await fixture.refusal(of: token(changing: ["exp": .integer(start + 600), "sub": "001"]))
                == .invalidToken(.claim("events")))
    }
}
