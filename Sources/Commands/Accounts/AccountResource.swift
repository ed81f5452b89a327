internal import Identity
internal import JSON

/// An account as the commands print it. It contains no password hash.
struct AccountResource: Encodable {
    struct LinkedProvider: Encodable {
        let providerId: String
        let rawId: String
        let email: String?
    }

    let localId: String
    let email: String?
    let emailVerified: Bool
    let phoneNumber: String?
    let displayName: String?
    let disabled: Bool
    let signInMethods: [String]
    let identities: [LinkedProvider]
    let createdAt: String
    let lastSignInAt: String?

    init(_ account: Account) {
        localId = account.id.rawValue
        email = account.email?.rawValue
        emailVerified = account.emailIsVerified
        phoneNumber = account.phoneNumber?.rawValue
        displayName = account.displayName
        disabled = account.isDisabled
        signInMethods = account.signInMethods.map(\.rawValue)
        identities = account.identities.map {
            LinkedProvider(providerId: $0.provider.rawValue, rawId: $0.subject, email: $0.email?.rawValue)
        }
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
    }
}
