internal import Gateway
internal import Identity
internal import JSON
internal import Providers

/// What stands against a token: which check, what was expected and what was seen. Nothing secret: of a nonce its form.
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
        let members = [
            "check": .string(check), "explanation": .string(explanation), "expected": expected, "seen": seen,
        ]
        return .object(members.compactMapValues { $0 })
    }
}

extension ProviderRefusal {
    func reason(_ header: TokenHeader?, _ provider: ProviderID, _ now: Instant) -> TokenCheckReason {
        switch self {
        case .notConfigured, .disabled, .notForThisApp:
            TokenCheckReason("configuration", "the provider is not enabled")
        case .credentialMissing: TokenCheckReason("form", "standard input is empty")
        case .tokenNotBelieved(let fault): fault.reason(header, now)
        case .nonce(let fault): fault.reason(provider)
        case .otherIssuer: TokenCheckReason("issuer", "the identity was verified by another issuer")
        case .ticketNotBelieved, .ticketUsed: TokenCheckReason("form", "not a token of the provider's")
        }
    }
}

extension IdentityTokenFault {
    fileprivate func reason(_ header: TokenHeader?, _ now: Instant) -> TokenCheckReason {
        switch self {
        case .malformed:
            TokenCheckReason("form", "not three parts in base64url without padding, with strict JSON inside")
        case .tooLong: TokenCheckReason("form", "too long for a token")
        case .algorithmNotAllowed:
            TokenCheckReason(
                "algorithm", "the provider does not sign with this algorithm, or not with this key",
                expected: .string("RS256"), seen: header?.algorithm)
        case .criticalHeader: TokenCheckReason("header", "has a critical header (crit) that nobody here understands")
        case .keyIDMissing: TokenCheckReason("keyId", "names no key (kid)")
        case .unknownKey:
            TokenCheckReason("keyId", "names a key that is not among the provider's", seen: header?.keyID)
        case .signatureInvalid: TokenCheckReason("signature", "not signed by the key that it names, or changed since")
        case .issuer(let expected, let seen):
            TokenCheckReason("issuer", "of another issuer", expected: .texts(expected), seen: .string(seen))
        case .audience(let expected, let seen):
            TokenCheckReason("audience", "for another client", expected: .texts(expected), seen: .texts(seen))
        case .authorizedParty(let expected, let seen):
            TokenCheckReason(
                "authorizedParty", "asked for by another client (azp)", expected: .texts(expected), seen: .string(seen))
        case .expired(let end):
            TokenCheckReason(
                "expiry", "expired", expected: .string("after \(now.iso8601), give or take a minute"),
                seen: .string(end.iso8601))
        case .issuedInTheFuture(let start):
            TokenCheckReason(
                "issuedAt", "not valid yet", expected: .string("before \(now.iso8601), give or take a minute"),
                seen: .string(start.iso8601))
        case .claim(let name): TokenCheckReason(name, "absent, or not what it has to be")
        }
    }
}

extension NonceFault {
    fileprivate func reason(_ provider: ProviderID) -> TokenCheckReason {
        switch self {
        case .missingInRequest: TokenCheckReason("nonce", "the token has a nonce, and --nonce is missing")
        case .missingInToken: TokenCheckReason("nonce", "--nonce is given, and the token has none")
        case .missing: TokenCheckReason("nonce", "neither side has a nonce, and the policy asks for one")
        case .invalidLength: TokenCheckReason("nonce", "--nonce has not 1 to 1024 bytes")
        case .doesNotMatch(let form):
            TokenCheckReason(
                "nonce", "the token's nonce is not made of --nonce",
                expected: .string(
                    provider == .apple
                        ? "SHA-256 of the nonce in lower-case hexadecimal"
                        : "the nonce as it is, or its SHA-256 in lower-case hexadecimal"),
                seen: .string(form.description))
        case .expired: TokenCheckReason("nonce", "too old")
        case .alreadyUsed: TokenCheckReason("nonce", "used before")
        }
    }
}

extension NonceFault.Form {
    fileprivate var description: String {
        switch self {
        case .sha256Hex: "64 hexadecimal digits: the SHA-256 of another nonce, or in capitals"
        case .sha256Base64URL: "43 letters of base64url: perhaps the SHA-256, encoded otherwise"
        case .unhashed: "the nonce itself, unhashed"
        case .other: "none of the usual forms"
        }
    }
}

extension JSONValue {
    fileprivate static func texts(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
}
