internal import Identity

extension WireError {
    init(_ refusal: CustomTokenRefusal) {
        let message =
            switch refusal {
            case .missing: "MISSING_CUSTOM_TOKEN"
            case .invalid(let fault): "INVALID_CUSTOM_TOKEN : \(Self.text(fault))"
            case .otherProject: "CREDENTIAL_MISMATCH"
            case .tenantMismatch: "TENANT_ID_MISMATCH"
            case .missingAccount: "MISSING_IDENTIFIER"
            case .invalidClaims: "INVALID_CLAIMS"
            case .claimsTooLarge: "CLAIMS_TOO_LARGE"
            case .reservedClaim(let name): "FORBIDDEN_CLAIM : \(name)"
            }
        self = .refused(message)
    }

    private static func text(_ fault: CustomTokenFault) -> String {
        switch fault {
        case .malformed: "It is not a JWT."
        case .algorithmNotAllowed: "It has to be signed with RS256 or ES256, as its key is."
        case .unknownKey: "No service key has the id in its kid, or else in its iss."
        case .signatureInvalid: "Its signature does not verify."
        case .keyMayNotMint: "Its service key lacks the scope \(ServiceKeyScope.mintTokens.rawValue)."
        case .wrongAudience: "Its aud is not Identity Toolkit."
        case .issuerIsNotSubject: "Its iss and sub have to be the same."
        case .timesMissing: "Its iat and exp have to be numbers."
        case .issuedInTheFuture: "Its iat is in the future."
        case .expired: "It has expired."
        case .livesTooLong: "Its exp is more than an hour after its iat."
        case .accountIDTooLong: "Its uid has more than 128 characters."
        case .olderThanDeletion: "It was made before the account of its uid was deleted."
        }
    }
}
