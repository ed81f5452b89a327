internal import Crypto
internal import Encoding
internal import JSON
internal import Synchronization

/// The type of a security event of Google (Cross-Account Protection): the end of its URI.
public enum SimulatedGoogleEvent: String, Sendable, CaseIterable {
    case sessionsRevoked = "risc/event-type/sessions-revoked"
    case tokensRevoked = "oauth/event-type/tokens-revoked"
    case tokenRevoked = "oauth/event-type/token-revoked"
    case accountDisabled = "risc/event-type/account-disabled"
    case accountEnabled = "risc/event-type/account-enabled"
    case credentialChangeRequired = "risc/event-type/account-credential-change-required"
    case verification = "risc/event-type/verification"
}

extension SimulatedGoogle {
    /// Returns a signed security event token. Changes nothing at the simulator.
    ///
    /// - Parameters:
    ///   - audience: a client ID of the app.
    ///   - reason: of a disabled account.
    ///   - change: changes the token before it is signed.
    public func securityEvent(
        _ kind: SimulatedGoogleEvent, about person: SimulatedPerson, audience: String, reason: String? = nil,
        state: String? = nil, changing change: (inout TokenDraft) throws -> Void = { _ in }
    ) throws -> String {
        let (issuer, key) = self.state.withLock { ($0.issuer, $0.keys.current) }
        var event: JSONObject = [:]
        switch kind {
        case .verification: event["state"] = state.map(JSONValue.string)
        case .tokenRevoked:
            event["subject"] = .object([
                "subject_type": .string("oauth_token"), "token_type": .string("refresh_token"),
                "token_identifier_alg": .string("prefix"), "token": .string("7265667265736820"),
            ])
        default:
            event["subject"] = .object([
                "subject_type": .string("iss-sub"), "iss": .string(issuer), "sub": .string(Self.subject(of: person)),
            ])
            event["reason"] = reason.map(JSONValue.string)
        }
        let claims: JSONObject = [
            "iss": .string(issuer + "/"), "aud": .string(audience), "iat": .integer(clock()),
            "jti": .string(Hexadecimal.encode(Random.bytes(20))),
            "events": .object([ByteText("https://schemas.openid.net/secevent/\(kind.rawValue)"): .object(event)]),
        ]
        return try TokenDraft(claims: claims, key: key, type: "secevent+jwt", headerBeginsWithKeyID: false)
            .signed(changing: change)
    }
}
