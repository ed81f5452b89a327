/// Why a credential of another provider is not accepted.
public enum ProviderRefusal: Error, Hashable {
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
