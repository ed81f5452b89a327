/// The contents of a verified custom token.
public struct CustomTokenContents: Hashable, Sendable {
    /// 1 to 128 characters. The account need not exist.
    public let account: ID<Account>
    /// The claims that every ID token of the session contains.
    public let claims: Claims?
    /// The time in `iat`. `nil` only for an unsigned token in dev mode without a valid `iat`.
    public let issuedAt: Instant?

    public init(account: ID<Account>, claims: Claims?, issuedAt: Instant?) {
        self.account = account
        self.claims = claims
        self.issuedAt = issuedAt
    }
}

/// Verifies custom tokens.
public struct CustomTokens: Sendable {
    /// The value of `aud` in every signed custom token.
    public static let audience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    /// Throws ``CustomTokenRefusal``; any other error is an internal fault.
    public var read: @Sendable (_ token: String, Realm) async throws -> CustomTokenContents

    public init(read: @escaping @Sendable (_ token: String, Realm) async throws -> CustomTokenContents) {
        self.read = read
    }
}

/// Why a custom token is rejected.
public enum CustomTokenRefusal: Refusal, Hashable {
    case missing
    case invalid(CustomTokenFault)
    /// Valid, but signed with a service key of another project.
    case otherProject
    /// The tenant of the token is not that of the request, or only one of them has a tenant.
    case tenantMismatch
    case missingAccount
    /// The claims are not a JSON object.
    case invalidClaims
    /// The claims are longer than ``Claims/lengthLimit``.
    case claimsTooLarge
    /// - Parameter name: as the token spells it.
    case reservedClaim(name: String)
}

extension CustomTokenRefusal {
    public var code: ErrorCode {
        switch self {
        case .missing: .missingCustomToken
        case .invalid: .invalidCustomToken
        case .otherProject: .credentialMismatch
        case .tenantMismatch: .tenantIDMismatch
        case .missingAccount: .missingIdentifier
        case .invalidClaims: .invalidClaims
        case .claimsTooLarge: .claimsTooLarge
        case .reservedClaim: .forbiddenClaim
        }
    }

    public var detail: String? {
        switch self {
        case .missing, .otherProject, .tenantMismatch, .missingAccount, .invalidClaims, .claimsTooLarge: nil
        case .invalid(let fault): fault.sentence
        case .reservedClaim(let name): name
        }
    }
}

/// The fault of a custom token.
public enum CustomTokenFault: Hashable, Sendable {
    case malformed
    /// A JWT whose signature is empty.
    case unsigned
    case algorithmNotAllowed
    case unknownKey
    case signatureInvalid
    /// The service key lacks the scope for minting tokens.
    case keyMayNotMint
    case wrongAudience
    /// `iss` and `sub` are different; they must be equal.
    case issuerIsNotSubject
    /// `iat` or `exp` is missing, or a time is not a number.
    case timesMissing
    /// `iat` or `nbf` is in the future.
    case notYetValid
    case expired
    case lifetimeTooLong
    case accountIDInvalid
    /// The account was deleted after the token was issued, and has not been created again.
    case olderThanDeletion
}

extension CustomTokenFault {
    fileprivate var sentence: String {
        switch self {
        case .malformed: "The custom token is not a JWT."
        case .unsigned: "The custom token is not signed."
        case .algorithmNotAllowed: "The custom token must be signed with the algorithm of its key: RS256 or ES256."
        case .unknownKey:
            "The custom token's kid (or its iss, if it has no kid) is not the ID of an active service key."
        case .signatureInvalid: "The custom token's signature is not valid."
        case .keyMayNotMint: "The custom token's service key lacks the scope \(ServiceKeyScope.mintTokens.rawValue)."
        case .wrongAudience: "The custom token's aud must be \"\(CustomTokens.audience)\"."
        case .issuerIsNotSubject: "The custom token's iss and sub must be equal."
        case .timesMissing: "The custom token's iat, exp and any nbf must be numbers."
        case .notYetValid: "The custom token's iat or nbf is in the future."
        case .expired: "The custom token has expired."
        case .lifetimeTooLong: "The custom token's exp is more than an hour after its iat."
        case .accountIDInvalid: "The custom token's uid must be 1 to 128 UTF-16 code units without NUL."
        case .olderThanDeletion: "The custom token was issued before the account of its uid was deleted."
        }
    }
}
