internal import Identity

/// The public names of what speaks against another provider's credential. Whatever was expected and seen is told, for
/// it is configuration; nothing of the token is.
extension WireError {
    init(_ refusal: ProviderRefusal) {
        let message =
            switch refusal {
            case .notConfigured: "OPERATION_NOT_ALLOWED : The identity provider configuration is not found."
            case .disabled: "OPERATION_NOT_ALLOWED : The identity provider configuration is disabled."
            case .notForThisApp(nil):
                "OPERATION_NOT_ALLOWED : The identity provider is not among this app's sign-in methods."
            case .notForThisApp(let violation?):
                "OPERATION_NOT_ALLOWED : LOGIN_SERVICES_4_8 : This app may not use a social provider: \(violation)."
            case .credentialMissing:
                "INVALID_CREDENTIAL_OR_PROVIDER_ID : There is no ID token, access token or code of this provider."
            case .tokenNotBelieved(let fault): "INVALID_IDP_RESPONSE : \(fault.sentence)"
            case .otherIssuer:
                "INVALID_IDP_RESPONSE : The identity with this subject was verified by another issuer of this provider."
            case .nonce(let fault): "MISSING_OR_INVALID_NONCE : \(fault.sentence)"
            case .ticketNotBelieved: "INVALID_PENDING_TOKEN"
            case .ticketUsed: "INVALID_PENDING_TOKEN : It has been used."
            }
        self = .refused(message)
    }

    /// 409 where it is guideline 4.8 alone that is broken.
    init(_ refusal: ConfigurationRefusal) {
        let others = refusal.problems.filter { !$0.isLoginServices }
        let shown = refusal.problems.prefix(10).map(\.description)
        let rest = refusal.problems.count > shown.count ? ["\(refusal.problems.count - shown.count) more"] : []
        let text = (shown + rest).joined(separator: "; ")
        self =
            others.isEmpty
            ? WireError(
                httpStatus: 409, message: "LOGIN_SERVICES_4_8 : \(text)", reason: "failedPrecondition",
                status: .failedPrecondition, loggedAs: "LOGIN_SERVICES_4_8")
            : .refused("INVALID_CONFIG : \(text)")
    }
}

extension WireError {
    init(_ refusal: ConfigurationEditRefusal) {
        self =
            switch refusal {
            case .trustNeeded: .init(AccessRefusal.scopeMissing(.trust))
            case .issuerInUse(let provider, let count): .issuerInUse(provider, identities: count)
            }
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

    /// What a token says is anybody's text.
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
