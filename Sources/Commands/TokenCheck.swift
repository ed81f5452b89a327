internal import Encoding
internal import Gateway
internal import Identity
internal import JOSE
internal import JSON
internal import Providers

/// The result of `verify-token`: the identity or notification in an accepted token, or the reason why the token is
/// rejected.
struct TokenCheck: Sendable {
    let isAccepted: Bool
    private let members: JSONObject

    private init(isAccepted: Bool, _ members: JSONObject, _ token: UnverifiedTokenInfo?) {
        self.isAccepted = isAccepted
        self.members = members.merging(["accepted": .bool(isAccepted), "token": token?.json ?? .null]) { $1 }
    }

    var text: String { JSONValue.object(members).indentedText }

    static func accepted(_ identity: VerifiedIdentity, _ token: UnverifiedTokenInfo?) -> TokenCheck {
        let members: [ByteText: JSONValue?] = [
            "provider": .string(identity.provider.rawValue), "subject": .string(identity.subject),
            "audience": .string(identity.audience), "email": identity.email.map { .string($0.rawValue) },
            "emailTrust": .string(identity.emailTrust.rawValue), "isPrivateEmail": .bool(identity.isPrivateEmail),
            "displayName": identity.profile.displayName.map(JSONValue.string),
            "realUserStatus": identity.realUserStatus.map { .integer(Int64($0)) },
            "isSingleUse": .bool(!identity.replayKeys.isEmpty),
        ]
        return TokenCheck(isAccepted: true, ["identity": .object(members.compactMapValues { $0 })], token)
    }

    static func accepted(_ notification: AppleNotification, _ token: UnverifiedTokenInfo?) -> TokenCheck {
        let members: [ByteText: JSONValue?] = [
            "id": .string(notification.id), "audience": .string(notification.audience),
            "type": .string(notification.kind.name), "isKnown": .bool(notification.kind.isKnown),
            "subject": .string(notification.subject),
            "occurredAt": notification.occurredAt.map { .string($0.iso8601) },
            "email": notification.email.map { .string($0.rawValue) },
            "isPrivateEmail": notification.email.map { _ in .bool(notification.isPrivateEmail) },
        ]
        return TokenCheck(isAccepted: true, ["notification": .object(members.compactMapValues { $0 })], token)
    }

    static func rejected(
        _ refusal: ProviderRefusal, _ token: UnverifiedTokenInfo?, of provider: ProviderID, at now: Instant
    ) -> TokenCheck {
        TokenCheck(isAccepted: false, ["reason": refusal.reason(token, provider, now).json], token)
    }

    /// The result if the keys of the provider are not available, so that the token cannot be verified.
    static func unverifiable(_ error: ProviderUnreachable, _ token: UnverifiedTokenInfo?) -> TokenCheck {
        let reason = TokenCheckReason("keys", "the keys of the provider are not available: \(error.reason)")
        return TokenCheck(isAccepted: false, ["reason": reason.json], token)
    }
}

/// The algorithm, key ID, type and issuer in a token whose signature is not verified.
struct UnverifiedTokenInfo: Sendable {
    let json: JSONValue
    let algorithm: JSONValue?
    let keyID: JSONValue?

    /// - Parameter text: a token, or JSON with a token as `payload`.
    /// - Returns: `nil` if the text is too long, or has no decodable header and claims.
    init?(of text: String) {
        guard text.utf8.count <= UnverifiedJWS.maximumLength * 2 else { return nil }
        let token = Self.object(Array(text.utf8)).flatMap { $0["payload"]?.text } ?? text
        let parts = token.split(whereSeparator: { $0 == "." || $0.isWhitespace })
        guard parts.count >= 2, let header = Base64URL.decode(String(parts[0])).flatMap(Self.object),
            let claims = Base64URL.decode(String(parts[1])).flatMap(Self.object)
        else { return nil }
        algorithm = header["alg"]
        keyID = header["kid"]
        let members: [ByteText: JSONValue?] = [
            "algorithm": algorithm, "keyId": keyID, "type": header["typ"], "issuer": claims["iss"],
        ]
        json = .object(members.compactMapValues { $0 })
    }

    private static func object(_ text: [UInt8]) -> JSONObject? {
        // If the text is not an object, the check itself reports the problem.
        try? StrictJSON.decode(JSONObject.self, from: text)
    }
}

extension AppleNotification.Kind {
    fileprivate var name: String {
        switch self {
        case .emailDisabled: "email-disabled"
        case .emailEnabled: "email-enabled"
        case .consentRevoked: "consent-revoked"
        case .accountDeleted: "account-deleted"
        case .other(let name): name
        }
    }

    fileprivate var isKnown: Bool {
        if case .other = self { false } else { true }
    }
}

extension JSONValue {
    fileprivate var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }
}
