internal import Identity

/// A second factor on the wire. Firebase's SDKs recognise the kind by the presence of `totpInfo`.
struct FactorInfo: Encodable {
    let mfaEnrollmentId: String
    let displayName: String?
    let enrolledAt: String
    let totpInfo: EmptyObject?

    init(_ factor: Factor) {
        mfaEnrollmentId = factor.id.rawValue
        displayName = factor.displayName
        enrolledAt = factor.enrolledAt.iso8601
        switch factor.kind {
        case .totp: totpInfo = EmptyObject()
        }
    }
}

/// The unused recovery codes of an account, without the codes.
struct RecoveryCodeInfo: Encodable {
    let remaining: Int
    let createdAt: String

    init(_ codes: SecondFactors.RecoveryCodes) {
        remaining = codes.remaining
        createdAt = codes.createdAt.iso8601
    }
}
