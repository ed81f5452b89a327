internal import Encoding
internal import Gateway
internal import Identity

/// A user as `firebase auth:export` writes it.
struct ExportedUser: Encodable {
    let localId: String
    let email: String?
    let emailVerified: Bool
    /// `true` if a blocking function has vouched for the address; otherwise absent.
    let emailVouched: Bool?
    /// A hash that names its own algorithm, in base64.
    let passwordHash: String?
    let displayName: String?
    let photoUrl: String?
    let language: String?
    let timeZone: String?
    /// Milliseconds since 1970, like ``createdAt``.
    let lastSignedInAt: String?
    let createdAt: String
    let phoneNumber: String?
    let disabled: Bool
    let customAttributes: String?
    let providerUserInfo: [Provider]
    /// Absent if the account has no second factor.
    let mfaInfo: [SecondFactor]?
    /// Absent if the account has no passkey.
    let passkeyInfo: [ExportedPasskey]?

    struct SecondFactor: Encodable {
        let mfaEnrollmentId: String
        let displayName: String?
        let enrolledAt: String
        let phoneInfo: String?
        let totpInfo: TOTP?
    }

    struct TOTP: Encodable {
        /// In base32. Absent unless secrets are exported.
        let sharedSecretKey: String?
    }

    struct Provider: Encodable {
        let providerId: String
        let rawId: String
        let email: String?
        let displayName: String?
        let photoUrl: String?
    }

    /// - Parameters:
    ///   - secrets: the exported secrets of one-time passwords.
    ///   - passkeys: the exported passkeys.
    init(_ stored: StoredAccount, secrets: [ID<Factor>: [UInt8]] = [:], passkeys: [NewPasskey] = []) {
        let account = stored.account
        localId = account.id.rawValue
        email = account.email?.rawValue
        emailVerified = account.emailIsVerified
        emailVouched = !account.emailIsVerified && account.statesVerifiedEmail ? true : nil
        passwordHash = stored.passwordHash.map { Base64.encode(Array($0.utf8)) }
        displayName = account.displayName
        photoUrl = account.photoURL?.rawValue
        language = account.language?.rawValue
        timeZone = account.timeZone?.rawValue
        lastSignedInAt = account.lastSignInAt.map { String($0.milliseconds) }
        createdAt = String(account.createdAt.milliseconds)
        phoneNumber = account.phoneNumber?.rawValue
        disabled = account.isDisabled
        customAttributes = account.customClaims?.json
        providerUserInfo = account.identities.map {
            Provider(
                providerId: $0.provider.rawValue, rawId: $0.subject, email: $0.email?.rawValue,
                displayName: $0.profile.displayName, photoUrl: $0.profile.photoURL?.rawValue)
        }
        let factors = account.secondFactors.factors.map {
            SecondFactor(
                mfaEnrollmentId: $0.id.rawValue, displayName: $0.displayName, enrolledAt: $0.enrolledAt.iso8601,
                phoneInfo: $0.phoneNumber?.rawValue,
                totpInfo: $0.kind == .totp
                    ? TOTP(sharedSecretKey: secrets[$0.id].map { Base32.encode($0) }) : nil)
        }
        mfaInfo = factors.isEmpty ? nil : factors
        passkeyInfo = passkeys.isEmpty ? nil : passkeys.map(ExportedPasskey.init)
    }

    var hasOneTimePassword: Bool { mfaInfo?.contains { $0.totpInfo != nil } ?? false }
}

/// A passkey with all that another installation needs to verify its signatures.
struct ExportedPasskey: Encodable {
    /// In base64url without padding, like ``userHandle`` and ``publicKey``.
    let credentialId: String
    let rpId: String
    let userHandle: String
    /// A COSE key.
    let publicKey: String
    let algorithm: Int
    let signCount: Int64
    let backupEligible: Bool
    let backedUp: Bool
    let transports: [String]
    let aaguid: String
    let name: String
    let createdAt: String
    let lastUsedAt: String?

    init(_ new: NewPasskey) {
        let passkey = new.passkey
        credentialId = passkey.id.rawValue
        rpId = passkey.rpID
        userHandle = Base64URL.encode(Array(passkey.userHandle.utf8))
        publicKey = Base64URL.encode(new.publicKey)
        algorithm = new.algorithm
        signCount = new.signCount
        backupEligible = new.isBackupEligible
        backedUp = passkey.isBackedUp
        transports = passkey.transports
        aaguid = passkey.aaguid
        name = passkey.name
        createdAt = passkey.createdAt.iso8601
        lastUsedAt = passkey.lastUsedAt?.iso8601
    }
}
