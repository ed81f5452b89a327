internal import Identity
internal import JSON

/// An account as the commands print it. It contains no password hash.
struct AccountResource: Encodable {
    struct LinkedProvider: Encodable {
        let providerId: String
        let rawId: String
        let email: String?
    }

    struct SecondFactor: Encodable {
        let mfaEnrollmentId: String
        let kind: String
        let displayName: String?
        let enrolledAt: String
    }

    let localId: String
    let email: String?
    let emailVerified: Bool
    let phoneNumber: String?
    let displayName: String?
    let disabled: Bool
    let signInMethods: [String]
    let identities: [LinkedProvider]
    let secondFactors: [SecondFactor]
    /// The number of unused recovery codes.
    let recoveryCodes: Int
    let createdAt: String
    let lastSignInAt: String?

    init(_ account: Account) {
        localId = account.id.rawValue
        email = account.email?.rawValue
        emailVerified = account.statesVerifiedEmail
        phoneNumber = account.phoneNumber?.rawValue
        displayName = account.displayName
        disabled = account.isDisabled
        signInMethods = account.signInMethods.map(\.rawValue)
        identities = account.identities.map {
            LinkedProvider(providerId: $0.provider.rawValue, rawId: $0.subject, email: $0.email?.rawValue)
        }
        secondFactors = account.secondFactors.factors.map {
            SecondFactor(
                mfaEnrollmentId: $0.id.rawValue, kind: $0.kind.rawValue, displayName: $0.displayName,
                enrolledAt: $0.enrolledAt.iso8601)
        }
        recoveryCodes = account.secondFactors.recoveryCodes?.remaining ?? 0
        createdAt = account.createdAt.iso8601
        lastSignInAt = account.lastSignInAt?.iso8601
    }

    /// The members as rows of a name and a value.
    var rows: [[String]] {
        [
            ["ID", localId],
            ["EMAIL", email.map { $0 + (emailVerified ? " (verified)" : " (not verified)") } ?? ""],
            ["PHONE NUMBER", phoneNumber ?? ""], ["NAME", displayName ?? ""],
            ["DISABLED", disabled ? "yes" : "no"], ["SIGN-IN METHODS", signInMethods.joined(separator: ", ")],
            ["CREATED", createdAt], ["LAST SIGN-IN", lastSignInAt ?? ""],
        ] + identities.map { ["IDENTITY", "\($0.providerId) \($0.rawId)"] }
            + secondFactors.map { factor in
                let text = [factor.kind, factor.mfaEnrollmentId, factor.displayName, "since \(factor.enrolledAt)"]
                return ["SECOND FACTOR", text.compactMap(\.self).joined(separator: " ")]
            } + (secondFactors.isEmpty ? [] : [["RECOVERY CODES", "\(recoveryCodes)"]])
    }
}
