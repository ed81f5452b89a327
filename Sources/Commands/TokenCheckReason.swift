internal import Encoding
internal import Gateway
internal import Identity
internal import JSON
internal import Providers

/// Why `verify-token` rejects a token: the failed check, the expected value and the actual value. The nonce of the
/// token is not shown; only its form is described.
struct TokenCheckReason: Sendable {
    let check: String
    let explanation: String
    var expected: JSONValue?
    var seen: JSONValue?

    init(_ check: String, _ explanation: String, expected: JSONValue? = nil, seen: JSONValue? = nil) {
        self.check = check
        self.explanation = explanation
        self.expected = expected
        self.seen = seen
    }

    var json: JSONValue {
        let members: [ByteText: JSONValue?] = [
            "check": .string(check), "explanation": .string(explanation), "expected": expected, "seen": seen,
        ]
        return .object(members.compactMapValues { $0 })
    }
}

extension ProviderRefusal {
    /// Returns the reason that `verify-token` prints. Refusals by the configuration or the database do not occur,
    /// because the command enables the provider and uses no database.
    func reason(_ token: UnverifiedTokenInfo?, _ provider: ProviderID, _ now: Instant) -> TokenCheckReason {
        switch self {
        case .notConfigured, .disabled, .notForThisApp, .linkOnly:
            TokenCheckReason("configuration", "the provider is not enabled")
        case .discoveryIssuer(let configured, let seen):
            TokenCheckReason(
                "configuration", "the discovery document names another issuer", expected: .string(configured),
                seen: .string(seen))
        case .credentialMissing, .accessTokenAlone: TokenCheckReason("form", "standard input is empty")
        case .invalidToken(let fault): fault.reason(token, now)
        case .nonce(let fault): fault.reason(provider)
        case .hostedDomain(let expected, let seen):
            TokenCheckReason(
                "hostedDomain", "the token is not from a listed Workspace domain", expected: .texts(expected),
                seen: seen.map { .string($0.rawValue) })
        case .voidCredential: TokenCheckReason("time", "the user disconnected the app after the token was issued")
        case .otherIssuer: TokenCheckReason("issuer", "the identity was verified by another issuer")
        case .invalidPendingToken, .invalidMergeToken, .tokenAlreadyUsed:
            TokenCheckReason("form", "not a token of the provider")
        }
    }
}

extension IdentityTokenFault {
    fileprivate func reason(_ token: UnverifiedTokenInfo?, _ now: Instant) -> TokenCheckReason {
        switch self {
        case .malformed:
            TokenCheckReason(
                "form", "expected three parts in base64url without padding; the first two must be JSON objects")
        case .tooLong: TokenCheckReason("form", "the token is too long")
        case .algorithmNotAllowed:
            TokenCheckReason(
                "algorithm", "the provider does not use this algorithm, or not with this key",
                expected: .string("RS256"), seen: token?.algorithm)
        case .criticalHeader: TokenCheckReason("header", "the token has an unsupported critical header (crit)")
        case .keyIDMissing: TokenCheckReason("keyId", "the token has no key ID (kid)")
        case .unknownKey:
            TokenCheckReason("keyId", "the provider has no key with this ID", seen: token?.keyID)
        case .signatureInvalid: TokenCheckReason("signature", "the signature does not match the key and the content")
        case .issuer(let expected, let seen):
            TokenCheckReason(
                "issuer", "the token is from another issuer", expected: .texts(expected), seen: .string(seen))
        case .audience(let expected, let seen):
            TokenCheckReason(
                "audience", "the token is for another client ID", expected: .texts(expected), seen: .texts(seen))
        case .authorizedParty(let expected, let seen):
            TokenCheckReason(
                "authorizedParty", "the token was requested by another client (azp)", expected: .texts(expected),
                seen: .string(seen))
        case .expired(let end):
            TokenCheckReason(
                "expiry", "the token has expired",
                expected: .string("after \(now.iso8601), with a tolerance of one minute"),
                seen: .string(end.iso8601))
        case .notYetValid(let start):
            TokenCheckReason(
                "issuedAt", "the token is not valid yet: iat or nbf is in the future",
                expected: .string("before \(now.iso8601), with a tolerance of one minute"),
                seen: .string(start.iso8601))
        case .claim(let name): TokenCheckReason(name, "the claim is absent or invalid")
        }
    }
}

extension NonceFault {
    fileprivate func reason(_ provider: ProviderID) -> TokenCheckReason {
        switch self {
        case .missingInRequest: TokenCheckReason("nonce", "the token has a nonce, but --nonce is not set")
        case .missingInToken: TokenCheckReason("nonce", "--nonce is set, but the token has no nonce")
        case .missing:
            TokenCheckReason("nonce", "the policy requires a nonce, but the token has none and --nonce is not set")
        case .invalidLength: TokenCheckReason("nonce", "expected a nonce of 1 to 1024 bytes")
        case .doesNotMatch(let form):
            TokenCheckReason(
                "nonce", "the nonce of the token does not match --nonce",
                expected: .string(
                    SupportedProviders.live[provider]?.hashesNonce == true
                        ? "SHA-256 of the nonce in lower-case hexadecimal"
                        : "the nonce as it is, or its SHA-256 in lower-case hexadecimal"),
                seen: .string(form.description))
        case .expired: TokenCheckReason("nonce", "the nonce has expired")
        case .alreadyUsed: TokenCheckReason("nonce", "the nonce was used before")
        }
    }
}

extension NonceFault.Form {
    fileprivate var description: String {
        switch self {
        case .sha256Hex: "64 hexadecimal digits: the SHA-256 of another nonce, or upper-case digits"
        case .sha256Base64URL: "43 characters of base64url: perhaps the SHA-256 in another encoding"
        case .unhashed: "the nonce itself, unhashed"
        case .other: "an unknown form"
        }
    }
}

extension JSONValue {
    fileprivate static func texts(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
}
