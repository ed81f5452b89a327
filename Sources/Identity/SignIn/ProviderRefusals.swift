/// Why a credential of another provider is not accepted.
public enum ProviderRefusal: Refusal, Hashable {
    /// No such provider, or the project has not configured it.
    case notConfigured
    case disabled
    /// The app may not show this provider, or not in the company it keeps (guideline 4.8).
    case notForThisApp(LoginServicesViolation?)
    /// Nothing in the credential that this provider's sign-in could go by.
    case credentialMissing
    case tokenNotBelieved(IdentityTokenFault)
    case nonce(NonceFault)
    /// The identity with this provider and subject was verified by another issuer, so it is another person's.
    case otherIssuer
    /// A ticket of ours that is malformed, forged, of another project or purpose, or expired.
    case ticketNotBelieved
    /// It has done what it can do once.
    case ticketUsed
}

/// The texts contain what was expected and what was seen, because both are configuration. They contain nothing else of
/// a token.
extension ProviderRefusal {
    public var code: ErrorCode {
        switch self {
        case .notConfigured, .disabled, .notForThisApp: .operationNotAllowed
        case .credentialMissing: .invalidCredentialOrProviderID
        case .tokenNotBelieved, .otherIssuer: .invalidIdpResponse
        case .nonce: .missingOrInvalidNonce
        case .ticketNotBelieved, .ticketUsed: .invalidPendingToken
        }
    }

    public var detail: String? {
        switch self {
        case .notConfigured: "The identity provider configuration is not found."
        case .disabled: "The identity provider configuration is disabled."
        case .notForThisApp(nil): "The identity provider is not among this app's sign-in methods."
        case .notForThisApp(let violation?):
            "\(ErrorCode.loginServices.rawValue) : This app may not use a social provider: \(violation)."
        case .credentialMissing: "There is no ID token, access token or code of this provider."
        case .tokenNotBelieved(let fault): fault.sentence
        case .otherIssuer: "The identity with this subject was verified by another issuer of this provider."
        case .nonce(let fault): fault.sentence
        case .ticketNotBelieved: nil
        case .ticketUsed: "It has been used."
        }
    }
}

/// What is wrong with a provider's token. Holds what was expected and seen, and nothing secret.
public enum IdentityTokenFault: Hashable, Sendable {
    case malformed
    case tooLong
    case algorithmNotAllowed
    /// Carries `crit`, which nobody here understands (RFC 7515 §4.1.11).
    case criticalHeader
    case keyIDMissing
    /// Not among the provider's keys, freshly fetched or as fresh as it may be.
    case unknownKey
    case signatureInvalid
    case issuer(expected: [String], seen: String)
    case audience(expected: [String], seen: [String])
    case authorizedParty(expected: [String], seen: String)
    case expired(at: Instant)
    case issuedInTheFuture(at: Instant)
    /// Absent, or not what it has to be: `exp` no number, `sub` empty.
    case claim(String)
}

public enum NonceFault: Hashable, Sendable {
    /// The token carries one, the request does not.
    case missingInRequest
    /// The request brings one, the token carries none.
    case missingInToken
    /// Neither has one, and the project asks for it.
    case missing
    /// Not 1 to 1024 bytes.
    case invalidLength
    case doesNotMatch(seen: Form)
    /// Ours, and too old.
    case expired
    case alreadyUsed

    /// What the token's nonce looks like.
    public enum Form: Hashable, Sendable {
        /// 64 hexadecimal digits.
        case sha256Hex
        /// 43 characters in base64url: the digest, encoded otherwise than Apple's convention has it.
        case sha256Base64URL
        /// The nonce of the request itself, where its SHA-256 is expected.
        case unhashed
        case other
    }
}

/// A provider that has to be asked does not answer, or not sensibly: the credential may be good, and the same call may
/// succeed in a moment.
public struct ProviderUnreachable: Error {
    public let provider: ProviderID
    public let reason: String

    public init(provider: ProviderID, reason: String) {
        self.provider = provider
        self.reason = reason
    }
}

extension IdentityTokenFault {
    fileprivate var sentence: String {
        switch self {
        case .malformed: "The ID token is malformed."
        case .tooLong: "The ID token is too long."
        case .algorithmNotAllowed: "The ID token is signed with an algorithm that is not allowed."
        case .criticalHeader: "The ID token has a critical header that is not understood."
        case .keyIDMissing: "The ID token does not name the key that it is signed with."
        case .unknownKey: "The ID token is signed with a key that the provider does not publish."
        case .signatureInvalid: "The signature of the ID token is invalid."
        case .issuer(let expected, let seen): Self.mismatch("issuer", expected, [seen])
        case .audience(let expected, let seen): Self.mismatch("audience", expected, seen)
        case .authorizedParty(let expected, let seen): Self.mismatch("authorized party", expected, [seen])
        case .expired(let instant): "The ID token expired at \(instant.iso8601)."
        case .issuedInTheFuture(let instant):
            "The ID token says that it was issued at \(instant.iso8601), later than now."
        case .claim(let name): "The ID token has no valid claim \(Self.quoted([name]))."
        }
    }

    private static func mismatch(_ what: String, _ expected: [String], _ seen: [String]) -> String {
        "The \(what) of the ID token is \(quoted(seen)); expected \(quoted(expected))."
    }

    /// Returns values of a token without control characters, because an attacker can choose them.
    private static func quoted(_ texts: [String]) -> String {
        guard !texts.isEmpty else { return "missing" }
        let shown = texts.prefix(5).map { text in
            let kept = text.unicodeScalars.prefix(128).map { (0x20...0x7E).contains($0.value) ? String($0) : "?" }
            return "'\(kept.joined())'"
        }
        return shown.joined(separator: " or ") + (texts.count > shown.count ? " or others" : "")
    }
}

extension NonceFault {
    fileprivate var sentence: String {
        switch self {
        case .missingInRequest: "Nonce is missing in the request."
        case .missingInToken: "Nonce is missing in the ID token."
        case .missing: "Nonce is missing in the request and in the ID token."
        case .invalidLength: "The nonce must have 1 to 1024 bytes."
        case .doesNotMatch(let seen):
            "The ID token must have the SHA-256 of the request's nonce in lower-case hexadecimal digits; it has \(seen.phrase)."
        case .expired: "The nonce has expired."
        case .alreadyUsed: "Duplicate credential received. Please try again with a new credential."
        }
    }
}

extension NonceFault.Form {
    fileprivate var phrase: String {
        switch self {
        case .sha256Hex: "that of another nonce"
        case .sha256Base64URL: "a digest in base64url"
        case .unhashed: "the nonce itself, not hashed"
        case .other: "something else"
        }
    }
}
