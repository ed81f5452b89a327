internal import Identity

/// A second factor on the wire. Firebase's SDKs recognise the kind by the presence of `phoneInfo` or
/// `totpInfo`.
struct FactorInfo: Encodable {
    let mfaEnrollmentId: String
    let displayName: String?
    let enrolledAt: String
    /// The number; before the second factor is proven, only its last four digits.
    let phoneInfo: String?
    /// The whole number. Absent before the second factor is proven.
    let unobfuscatedPhoneInfo: String?
    let totpInfo: EmptyObject?

    /// - Parameter showsNumber: whether to show the whole number, because the caller is an administrator or the
    ///   signed-in user.
    init(_ factor: Factor, showsNumber: Bool = false) {
        mfaEnrollmentId = factor.id.rawValue
        displayName = factor.displayName
        enrolledAt = factor.enrolledAt.iso8601
        switch factor.kind {
        case .totp: (totpInfo, phoneInfo, unobfuscatedPhoneInfo) = (EmptyObject(), nil, nil)
        case .phone:
            totpInfo = nil
            let number = factor.phoneNumber
            phoneInfo = showsNumber ? number?.rawValue : number?.masked
            unobfuscatedPhoneInfo = showsNumber ? number?.rawValue : nil
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
