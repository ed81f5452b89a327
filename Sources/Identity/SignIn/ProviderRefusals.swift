/// Why a credential or identity of a provider is rejected.
public enum ProviderRefusal: Refusal, Hashable {
    /// The provider does not exist, or the project has not configured it.
    case notConfigured
    case disabled
    /// The provider's discovery document names another issuer than the configuration.
    case discoveryIssuer(configured: String, seen: String)
    /// The app does not offer this provider or method, or may offer the provider only together with Apple (guideline
    /// 4.8).
    case notForThisApp(violation: LoginServicesViolation?)
    /// The app offers the provider only to link its identities.
    case linkOnly
    /// The identity belongs to none of the hosted domains that the provider's settings list.
    case hostedDomain(expected: [String], seen: HostedDomain?)
    /// The credential contains nothing that this provider's sign-in can use.
    case credentialMissing
    /// The credential contains an access token, but no ID token.
    case accessTokenAlone
    case invalidToken(IdentityTokenFault)
    /// The credential was issued before the user disconnected the app or deleted the account at the provider.
    case voidCredential
    case nonce(NonceFault)
    /// The identity with this provider and subject was verified by another issuer, so it may belong to another user.
    case otherIssuer
    /// A sealed token, such as a pending token, is malformed, forged, expired, or of another realm or purpose.
    case invalidPendingToken
    /// A merge token that is invalid for one of the reasons of ``invalidPendingToken``, or that is for another source
    /// account.
    case invalidMergeToken
    /// The sealed token is single-use and was used before.
    case tokenAlreadyUsed
}

/// The texts contain values of the configuration and the values that a token has instead, but no other part of the
/// token.
extension ProviderRefusal {
    public var code: ErrorCode {
        switch self {
        case .notConfigured, .disabled, .notForThisApp, .linkOnly, .discoveryIssuer: .operationNotAllowed
        case .credentialMissing: .invalidCredentialOrProviderID
        case .accessTokenAlone: .notImplemented
        case .invalidToken, .voidCredential, .otherIssuer, .hostedDomain: .invalidIdpResponse
        case .nonce: .missingOrInvalidNonce
        case .invalidPendingToken, .invalidMergeToken, .tokenAlreadyUsed: .invalidPendingToken
        }
    }

    public var message: String {
        self == .accessTokenAlone ? "Sign-in with an access token alone is not implemented." : codeWithDetail
    }

    public var detail: String? {
        switch self {
        case .accessTokenAlone: nil
        case .discoveryIssuer(let configured, let seen):
            "The discovery document names the issuer \(IdentityTokenFault.quoted([seen])); configured is \(IdentityTokenFault.quoted([configured]))."
        case .notConfigured: "The identity provider configuration is not found."
        case .disabled: "The identity provider configuration is disabled."
        case .notForThisApp(violation: nil): "The app does not offer this sign-in method."
        case .notForThisApp(violation: let violation?):
            "\(ErrorCode.loginServices.rawValue) : This app may not use a social provider: \(violation)\(violation.isDueToPolicy ? "; \(LoginServicesViolation.policyAdvice)" : "")."
        case .linkOnly: "The app offers the identity provider only for linking, not for signing in."
        case .hostedDomain(let expected, let seen):
            "The ID token must have the hosted domain \(IdentityTokenFault.quoted(expected)); it has \(IdentityTokenFault.quoted([seen?.rawValue].compactMap(\.self)))."
        case .credentialMissing: "The request has no ID token, access token or code of this provider."
        case .invalidToken(let fault): fault.sentence
        case .voidCredential:
            "The ID token was issued before the user stopped using the identity provider for this app."
        case .otherIssuer: "The identity with this subject was verified by another issuer of this provider."
        case .nonce(let fault): fault.sentence
        case .invalidPendingToken: nil
        case .invalidMergeToken: "The merge token is invalid or has expired; request a dry run again."
        case .tokenAlreadyUsed: "The pending token or merge token was already used."
        }
    }
}

/// The fault of a provider's token. Contains expected and actual values, and no secrets.
public enum IdentityTokenFault: Hashable, Sendable {
    case malformed
    case tooLong
    case algorithmNotAllowed
    /// The token has the header `crit`, but no extensions are supported (RFC 7515 §4.1.11).
    case criticalHeader
    case keyIDMissing
    /// The key is not among the provider's keys, even after a refetch if one was allowed.
    case unknownKey
    case signatureInvalid
    case issuer(expected: [String], seen: String)
    case audience(expected: [String], seen: [String])
    case authorizedParty(expected: [String], seen: String)
    case expired(at: Instant)
    /// `iat` or `nbf` is in the future. The value is the later of both.
    case notYetValid(until: Instant)
    /// A claim is absent or invalid, e.g. `exp` is not a number, or `sub` is empty.
    case claim(String)

    /// Whether the token is not proven to be signed by the provider.
    var concernsSignature: Bool {
        switch self {
        case .algorithmNotAllowed, .criticalHeader, .keyIDMissing, .unknownKey, .signatureInvalid: true
        case .malformed, .tooLong, .issuer, .audience, .authorizedParty, .expired, .notYetValid, .claim: false
        }
    }
}

/// What is wrong with the nonce of a request or of a provider's token.
public enum NonceFault: Hashable, Sendable {
    /// The token has a nonce, but the request has none.
    case missingInRequest
    /// The request has a nonce, but the token has none.
    case missingInToken
    /// Neither has a nonce, but the project requires one.
    case missing
    /// The nonce does not have 1 to 1024 bytes.
    case invalidLength
    case doesNotMatch(seen: Form)
    /// Issued by the gateway, and expired.
    case expired
    case alreadyUsed

    /// The form of the token's nonce.
    public enum Form: Hashable, Sendable {
        /// 64 hexadecimal digits.
        case sha256Hex
        /// 43 characters of base64url: the digest in an encoding other than the hexadecimal one that Apple expects.
        case sha256Base64URL
        /// The request's nonce itself, although its SHA-256 is expected.
        case unhashed
        case other
    }
}

/// A provider does not respond, or its response is not valid. The credential may be valid, and a retry may succeed.
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
        case .criticalHeader: "The header of the ID token contains 'crit', which is not supported."
        case .keyIDMissing: "The ID token does not name the key that it is signed with."
        case .unknownKey: "The ID token is signed with a key that the provider does not publish."
        case .signatureInvalid: "The signature of the ID token is invalid."
        case .issuer(let expected, let seen): Self.mismatch("issuer", expected, [seen])
        case .audience(let expected, let seen): Self.mismatch("audience", expected, seen)
        case .authorizedParty(let expected, let seen): Self.mismatch("authorized party", expected, [seen])
        case .expired(let instant): "The ID token expired at \(instant.iso8601)."
        case .notYetValid(let instant):
            "The ID token is not valid until \(instant.iso8601)."
        case .claim(let name): "The ID token has no valid claim \(Self.quoted([name]))."
        }
    }

    private static func mismatch(_ what: String, _ expected: [String], _ seen: [String]) -> String {
        "The \(what) of the ID token is \(seen.isEmpty ? "missing" : quoted(seen)); expected \(quoted(expected))."
    }

    /// Returns values for a message. An attacker can choose the values in a token, so all values are shortened, and
    /// characters other than printable ASCII are replaced.
    fileprivate static func quoted(_ texts: [String]) -> String {
        guard !texts.isEmpty else { return "none" }
        let shown = texts.prefix(5).map { text in
            let visible = text.unicodeScalars.prefix(128).map { (0x20...0x7E).contains($0.value) ? String($0) : "?" }
            return "'\(visible.joined())'"
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
            "The ID token must have the SHA-256 of the request's nonce in lower-case hexadecimal digits (with providers other than Apple, the nonce itself is accepted too); it has \(seen.phrase)."
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
