internal import Crypto
internal import Encoding
internal import JSON
internal import Synchronization

/// The type of an event in Apple's server-to-server notifications.
public enum SimulatedAppleEvent: String, Sendable, CaseIterable {
    case emailDisabled = "email-disabled"
    case emailEnabled = "email-enabled"
    case consentRevoked = "consent-revoked"
    /// The name that Apple sends.
    case accountDelete = "account-delete"
    /// The name in Apple's documentation.
    case accountDeleted = "account-deleted"
}

extension SimulatedApple {
    /// Returns the signed payload of a notification. Does not change the state of the simulator; for that, see
    /// ``disconnect(_:from:)``.
    ///
    /// - Parameters:
    ///   - audience: the client ID of the app.
    ///   - change: changes the payload before it is signed.
    public func notification(
        _ kind: SimulatedAppleEvent, about person: SimulatedPerson, audience: String,
        changing change: (inout TokenDraft) throws -> Void = { _ in }
    ) throws -> String {
        let now = clock()
        let (client, quirks, key) = state.withLock { ($0.client(audience), $0.quirks, $0.keys.current) }
        // In seconds if the claim `events` is a JSON object, in milliseconds if it is a string.
        let time = JSONValue.integer(quirks.eventsAreAnObject ? now : now * 1000)
        var event: JSONObject = [
            "type": .string(kind.rawValue), "sub": .string(Self.subject(of: person, in: client.team)),
            "event_time": time,
        ]
        if kind == .emailDisabled || kind == .emailEnabled {
            event["email"] = Self.email(of: person, for: client, quirks).map(JSONValue.string)
            if person.hidesEmail { event["is_private_email"] = .string("true") }
        }
        let text = try StrictJSON.text(event)
        let claims: JSONObject = [
            "iss": .string(quirks.issuer ?? issuer), "aud": .string(audience), "iat": .integer(now),
            "exp": .integer(now + 86_400), "jti": .string(Random.text(length: 22)),
            "events": quirks.eventsAreAnObject ? .object(event) : .string(text),
        ]
        return try TokenDraft(claims: claims, key: key, type: nil, headerBeginsWithKeyID: true).signed(changing: change)
    }

    /// Returns the body of the request by which Apple sends a payload.
    public static func notificationBody(_ payload: String) throws -> [UInt8] {
        try StrictJSON.encode(["payload": payload])
    }
}
