internal import Identity

/// An account on the wire.
struct UserInfo: Encodable {
    let localId: String
    let email: String?
    let emailVerified: Bool?
    /// The account's first address, if it was replaced.
    let initialEmail: String?
    let displayName: String?
    let photoUrl: String?
    let screenName: String?
    let language: String?
    let timeZone: String?
    let phoneNumber: String?
    let disabled: Bool
    let providerUserInfo: [ProviderUserInfo]?
    let customAuth: Bool?
    let emailLinkSignin: Bool?
    /// A fixed text if the account has a password, never a hash. Firebase's client SDKs only check whether the member
    /// is present.
    let passwordHash: String?
    /// In milliseconds since 1970, as are ``createdAt`` and ``lastLoginAt``.
    let passwordUpdatedAt: Int64?
    /// In seconds since 1970.
    let validSince: String
    let createdAt: String
    let lastLoginAt: String?
    /// An ISO 8601 date and time.
    let lastRefreshAt: String?
    let customAttributes: String?
    /// Absent if the account has no second factor.
    let mfaInfo: [FactorInfo]?
    /// An extension. Absent if the account has no recovery code.
    let recoveryCodeInfo: RecoveryCodeInfo?
    /// An extension. Absent if the account has no passkey.
    let passkeyInfo: [PasskeyInfo]?
    let passkeySignals: [PasskeySignal]?
    let tenantId: String?

    /// `REDACTED` in base64, as Firebase sends it to callers that may not read hashes. Admin SDKs then report no hash.
    private static let redactedHash = "UkVEQUNURUQ="

    /// Returns the account with ``ProviderUserInfo/realUserStatus``, which the accounts in responses to clients omit.
    /// Clients can read the status elsewhere: in `rawUserInfo` of a sign-in, and in ID tokens.
    static func forAdministrators(_ account: Account, of tenant: Tenant?) -> UserInfo {
        forAdministrators(account, of: tenant?.id)
    }

    static func forAdministrators(_ account: Account, of tenant: ID<Tenant>?) -> UserInfo {
        UserInfo(account, of: tenant, includesRealUserStatus: true)
    }

    init(_ account: Account, of tenant: Tenant?) {
        self.init(account, of: tenant?.id, includesRealUserStatus: false)
    }

    private init(_ account: Account, of tenant: ID<Tenant>?, includesRealUserStatus: Bool) {
        localId = account.id.rawValue
        email = account.email?.rawValue
        emailVerified = account.email.map { _ in account.statesVerifiedEmail }
        initialEmail = account.initialEmail?.rawValue
        displayName = account.displayName
        photoUrl = account.photoURL?.rawValue
        screenName = account.identities.firstDetail(\.screenName)
        language = account.language?.rawValue ?? account.identities.firstDetail(\.language)
        timeZone = account.timeZone?.rawValue ?? account.identities.firstDetail(\.timeZone)
        phoneNumber = account.phoneNumber?.rawValue
        disabled = account.isDisabled
        providerUserInfo = ProviderUserInfo.all(of: account, includesRealUserStatus: includesRealUserStatus)
        customAuth = account.usesCustomTokens ? true : nil
        emailLinkSignin = account.usesEmailLinks ? true : nil
        passwordHash = account.hasPassword ? Self.redactedHash : nil
        passwordUpdatedAt = account.passwordUpdatedAt?.milliseconds
        validSince = String(account.validSince.seconds)
        createdAt = String(account.createdAt.milliseconds)
        lastLoginAt = account.lastSignInAt.map { String($0.milliseconds) }
        lastRefreshAt = account.lastRefreshAt?.iso8601
        customAttributes = account.customClaims?.json
        let factors = account.secondFactors
        mfaInfo = factors.isEmpty ? nil : factors.factors.map { FactorInfo($0, showsNumber: true) }
        recoveryCodeInfo = factors.recoveryCodes.map(RecoveryCodeInfo.init)
        passkeyInfo = account.passkeys.isEmpty ? nil : account.passkeys.map(PasskeyInfo.init)
        passkeySignals = PasskeySignal.all(for: account).nonEmpty
        tenantId = tenant?.rawValue
    }
}

extension [LinkedIdentity] {
    /// Returns the detail of the first identity that has it.
    fileprivate func firstDetail(_ detail: KeyPath<UserProfile, String?>) -> String? {
        lazy.compactMap { $0.profile[keyPath: detail] }.first
    }
}

/// A sign-in method of an account on the wire: an identity, `password` or `phone`.
struct ProviderUserInfo: Encodable {
    let providerId: String
    let rawId: String
    let federatedId: String?
    let email: String?
    let displayName: String?
    let photoUrl: String?
    let phoneNumber: String?
    var screenName: String?
    /// An extension: whether the address is a private relay address. For Apple only, like ``credentialState`` and
    /// ``emailForwarding``.
    var isPrivateEmail: Bool?
    /// The name of Apple's `real_user_status`; see ``realUserStatuses``.
    var realUserStatus: String?
    /// An extension: the state of the Apple credential (`AUTHORIZED`, `REVOKED`, `TRANSFERRED` or `UNKNOWN`).
    var credentialState: String?
    /// An extension: whether Apple's relay forwards email to the address, as of Apple's latest notification.
    var emailForwarding: Bool?

    /// Returns the entries of an account; `nil` if there are none. Anonymous sign-in and custom tokens have no entry.
    static func all(of account: Account, includesRealUserStatus: Bool = false) -> [ProviderUserInfo]? {
        var all = account.identities.map { ProviderUserInfo($0, includesRealUserStatus: includesRealUserStatus) }
        if account.hasPassword || account.usesEmailLinks, let email = account.email {
            all.insert(ProviderUserInfo(emailSignInOf: account, email: email), at: 0)
        }
        if let phoneNumber = account.phoneNumber { all.append(ProviderUserInfo(phoneNumber: phoneNumber)) }
        return all.isEmpty ? nil : all
    }

    private init(phoneNumber: PhoneNumber) {
        providerId = ProviderID.phone.rawValue
        rawId = phoneNumber.rawValue
        self.phoneNumber = phoneNumber.rawValue
        (federatedId, email, displayName, photoUrl) = (nil, nil, nil, nil)
    }

    /// The entry `password`, which stands for sign-in by password and by email link, as in Firebase.
    private init(emailSignInOf account: Account, email: EmailAddress) {
        providerId = ProviderID.password.rawValue
        rawId = email.rawValue
        federatedId = email.rawValue
        self.email = email.rawValue
        displayName = account.displayName
        photoUrl = account.photoURL?.rawValue
        phoneNumber = nil
    }

    private init(_ identity: LinkedIdentity, includesRealUserStatus: Bool) {
        providerId = identity.provider.rawValue
        rawId = identity.subject
        federatedId = identity.subject
        email = identity.email?.rawValue
        displayName = identity.profile.displayName
        photoUrl = identity.profile.photoURL?.rawValue
        screenName = identity.profile.screenName
        phoneNumber = nil
        guard identity.provider == .apple else { return }
        isPrivateEmail = identity.email.map { _ in identity.isPrivateEmail }
        credentialState = identity.credentialState.rawValue
        emailForwarding = identity.emailForwarding
        if includesRealUserStatus { realUserStatus = identity.realUserStatus.map(Self.name(ofRealUserStatus:)) }
    }

    /// - Parameter status: Apple's number.
    static func name(ofRealUserStatus status: Int) -> String {
        realUserStatuses.indices.contains(status) ? realUserStatuses[status] : "UNKNOWN"
    }

    /// The names of Apple's values of `real_user_status`, indexed by Apple's number.
    static let realUserStatuses = ["UNSUPPORTED", "UNKNOWN", "LIKELY_REAL"]
}
