import Encoding
import FoundationEssentials
import HTTP
import Identity
import JOSE
import JSON
import Simulators
import Testing

extension TestGateway {
    /// A server-to-server notification, which the simulated Apple signs.
    ///
    /// - Parameters:
    ///   - time: the time of the event (default: now).
    ///   - type: the type of the event (default: that of `kind`).
    ///   - change: changes the notification before it is signed.
    func appleNotification(
        _ kind: SimulatedAppleEvent = .consentRevoked, about person: SimulatedPerson = .ada,
        audience: String = SimulatedProviders.appleClientID, at time: Instant? = nil, type: String? = nil,
        changing change: (inout TokenDraft) throws -> Void = { _ in }
    ) throws -> String {
        try simulators.apple.notification(kind, about: person, audience: audience) { draft in
            guard case .string(let text)? = draft.claims["events"] else { throw NoEvents() }
            var event = try StrictJSON.decode(JSONObject.self, from: Array(text.utf8))
            if let time { event["event_time"] = .integer(time.milliseconds) }
            if let type { event["type"] = .string(type) }
            draft.claims["events"] = .string(String(decoding: try StrictJSON.encode(event), as: UTF8.self))
            try change(&draft)
        }
    }

    /// Posts a notification as Apple does, without an API key.
    ///
    /// - Parameter project: the project that the path names (default: none).
    func postNotification(
        _ payload: String, project: String? = nil, from peer: String = "192.0.2.1"
    ) async throws -> Exchange {
        let prefix = project.map { "/\($0)" } ?? ""
        return try await post(
            "\(prefix)/v1/apple/notifications", ["payload": .string(payload)], key: nil, from: peer)
    }

    /// Posts a notification, and expects the gateway to accept it.
    func postAcceptedNotification(_ payload: String, project: String? = nil) async throws {
        let answer = try await postNotification(payload, project: project)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.json == [:])
    }

    /// The state of the account's first identity, as an administrator reads it. Needs ``makeServiceKey()`` before.
    func credentialState(of localId: String) async throws -> String? {
        let answer = try await administerAccounts(":credentialState", ["localId": .string(localId)])
        return answer.json["identities"]?[0]?["credentialState"]?.string
    }

    /// Whether the session of these tokens is valid.
    func isSessionValid(_ tokens: Tokens) async throws -> Bool {
        let isValid = try await lookup(tokens.idToken).status == 200
        #expect(try await (refresh(tokens.refreshToken).status == 200) == isValid)
        return isValid
    }

    private struct NoEvents: Error {}
}
