internal import Encoding
public import Identity
internal import JSON

/// A user in an import request or an import file, unchecked.
public struct ImportedUser: Decodable, Sendable {
    public let localId: String?
    let email: String?
    let emailVerified: Bool?
    /// See ``Account/vouchedEmail``.
    let emailVouched: Bool?
    let displayName: ProfileText?
    let photoUrl: ProfileText?
    let language: ProfileText?
    let timeZone: ProfileText?
    let phoneNumber: String?
    let disabled: Bool?
    let createdAt: String?
    let lastLoginAt: String?
    /// The name that Firebase's command line writes for ``lastLoginAt``.
    let lastSignedInAt: String?
    let validSince: String?
    let customAttributes: String?
    public var passwordHash: String?
    let salt: String?
    public var rawPassword: String?
    let providerUserInfo: [LinkedIdentityInput]?
    let mfaInfo: [ImportedFactor]?
    let passkeyInfo: [ImportedPasskey]?
    let tenantId: String?

    /// The entries of `providerUserInfo` that become identities: all except `password` and `phone`, which are members
    /// of the account.
    var linkableProviders: [LinkedIdentityInput] {
        (providerUserInfo ?? []).filter {
            $0.providerId != ProviderID.password.rawValue && $0.providerId != ProviderID.phone.rawValue
        }
    }

    /// The reason why an entry is rejected.
    public enum Fault: Error {
        case unreadable(String)
        case idIsMissing, idIsInvalid, tenantMismatch, emailIsInvalid, identityIsIncomplete, tooManyIdentities
        case severalIdentities(ProviderID)
        case phoneNumberIsInvalid
        case claimsAreInvalid, claimsAreTooLarge, hasSecondFactor, timeIsInvalid, validSinceIsInFuture
        case factorNeedsEmail, factorNeedsVerifiedEmail, severalFactors, factorIDIsInvalid
        case factorSecretIsMissing, factorSecretIsInvalid, factorPhoneNumberIsInvalid, factorIDIsRepeated
        case tooManyPasskeys, passkeyIsRepeated
        /// - Parameter member: the name of the first invalid member of a passkey.
        case passkeyIsInvalid(member: String)
        /// - Parameter rpID: the RP ID of the project.
        case passkeyOfOtherRPID(rpID: String?)
        case password(PasswordHashRefusal)
        case emailIsTaken, identityIsTaken, phoneNumberIsTaken, idIsTaken, passkeyIsTaken, userHandleIsTaken
    }

    /// Decodes an entry of an import file, whose members have names in camelCase.
    public init(json: [UInt8]) throws(Fault) {
        do {
            self = try StrictJSON.decode(ImportedUser.self, from: json)
        } catch {
            throw Fault(decoding: error)
        }
    }

    /// Checks the members, and returns the account to import.
    ///
    /// - Parameters:
    ///   - now: replaces a missing creation time and, in whole seconds, a missing `validSince`.
    ///   - scheme: the scheme that the password hashes were computed with.
    ///   - tenant: the tenant that gets the account; `nil` for the project itself.
    ///   - factors: what happens to second factors.
    ///   - passkeys: what happens to passkeys.
    /// - Throws: the first ``Fault``, in the order in which Firebase checks the members.
    public func entry(
        at now: Instant, hashedWith scheme: StoredPasswordScheme, in tenant: Tenant?, factors: FactorTreatment,
        passkeys: PasskeyTreatment
    ) throws(Fault) -> Checked {
        guard let localId = localId.nonEmpty else { throw .idIsMissing }
        guard let id = ID<Account>(chosen: localId) else { throw .idIsInvalid }
        guard tenantId.nonEmpty == nil || tenantId == tenant?.id.rawValue else { throw .tenantMismatch }
        var changes: Set<Change> = []
        let email = try email(&changes)
        let profile = profile(displayName, photoUrl, &changes)
        let identities = try identities(&changes)
        let phoneNumber = phoneNumber.nonEmpty.flatMap(PhoneNumber.init)
        guard phoneNumber?.isDiallable ?? (self.phoneNumber.nonEmpty == nil) else { throw .phoneNumberIsInvalid }
        let claims = try claims(&changes)
        let importedFactors = try self.factors(treated: factors, enrolledAt: now, &changes)
        if !importedFactors.isEmpty {
            guard email != nil else { throw .factorNeedsEmail }
            guard emailVerified == true else { throw .factorNeedsVerifiedEmail }
        }
        let passkeys = try checkedPasskeys(treated: passkeys, createdAt: now, &changes)
        let times = try times()
        let isFuture = AccountAdministration.isFuture(validSince: times.validSince, at: now)
        guard !isFuture else { throw .validSinceIsInFuture }
        let passwordHash = try storedPassword(scheme)
        var account = Account(
            id: id, email: email, emailIsVerified: email != nil && emailVerified == true,
            displayName: profile.displayName, photoURL: profile.photoURL, phoneNumber: phoneNumber,
            identities: identities, customClaims: claims, isDisabled: disabled == true,
            createdAt: times.created ?? now, lastSignInAt: times.signedIn,
            validSince: times.validSince ?? Instant(seconds: now.seconds))
        if !account.emailIsVerified, emailVouched == true { account.vouchedEmail = email }
        account.phoneAddedAt = phoneNumber == nil ? nil : now
        account.language = language?.importedLanguage(&changes)
        account.timeZone = timeZone?.importedTimeZone(&changes)
        let entry = AccountAdministration.Import(
            account: account, password: rawPassword.nonEmpty.map(Secret.init), passwordHash: passwordHash,
            factors: importedFactors)
        return Checked(entry: entry, passkeys: passkeys, changes: changes.sorted { $0.message < $1.message })
    }

    /// Returns the address. An address that is not ASCII is left out if it has no ASCII form.
    private func email(_ changes: inout Set<Change>) throws(Fault) -> EmailAddress? {
        guard let text = email.nonEmpty else { return nil }
        if let email = EmailAddress(text) { return email }
        guard text.utf8.contains(where: { $0 > 0x7F }) else { throw .emailIsInvalid }
        changes.insert(.emailWasDropped)
        return nil
    }

    private func profile(
        _ name: ProfileText?, _ photoURL: ProfileText?, _ changes: inout Set<Change>
    ) -> UserProfile {
        UserProfile(
            displayName: (name?.importedName(&changes)).nonEmpty,
            photoURL: photoURL?.importedPhotoURL(&changes))
    }

    private func storedPassword(_ scheme: StoredPasswordScheme) throws(Fault) -> String? {
        guard let passwordHash = passwordHash.nonEmpty else { return nil }
        do {
            return try scheme.stored(hash: passwordHash, salt: salt)
        } catch {
            throw .password(error)
        }
    }

    /// The maximum number of identities of an entry. It limits the size of ID tokens, which contain every identity.
    fileprivate static let identityLimit = 32

    private func identities(_ changes: inout Set<Change>) throws(Fault) -> [LinkedIdentity] {
        let providers = linkableProviders
        guard providers.count <= Self.identityLimit else { throw .tooManyIdentities }
        var identities: [LinkedIdentity] = []
        for provider in providers {
            let identity: LinkedIdentity
            do {
                identity = try provider.identity(
                    with: profile(provider.displayName, provider.photoUrl, &changes))
            } catch {
                throw .identityIsIncomplete
            }
            if identity.email == nil, provider.email.nonEmpty != nil { changes.insert(.identityEmailWasDropped) }
            if let other = identities.first(where: { $0.provider == identity.provider }) {
                guard other.subject.isExactly(identity.subject) else { throw .severalIdentities(other.provider) }
                continue
            }
            identities.append(identity)
        }
        return identities
    }

    /// Returns the custom claims without those that have reserved names.
    private func claims(_ changes: inout Set<Change>) throws(Fault) -> Claims? {
        guard let customAttributes = customAttributes.nonEmpty else { return nil }
        do throws(ClaimsRefusal) {
            let (claims, dropped) = try Claims.withoutReserved(customAttributes)
            if !dropped.isEmpty { changes.insert(.claimsWereDropped(dropped)) }
            return claims
        } catch {
            switch error {
            case .tooLarge: throw .claimsAreTooLarge
            case .invalid, .reserved: throw .claimsAreInvalid
            }
        }
    }

    private func times() throws(Fault) -> (created: Instant?, signedIn: Instant?, validSince: Instant?) {
        do {
            // The JSON pointers are empty, because `timeIsInvalid` replaces the errors.
            return (
                try .parsing(milliseconds: createdAt, at: ""),
                try .parsing(milliseconds: lastLoginAt.nonEmpty ?? lastSignedInAt, at: ""),
                try .parsing(seconds: validSince, at: "")
            )
        } catch {
            throw .timeIsInvalid
        }
    }
}

extension ImportedUser {
    /// A user whose members were checked, and what of the user was changed or left out.
    public struct Checked: Sendable {
        public var entry: AccountAdministration.Import
        public let passkeys: [NewPasskey]
        public let changes: [Change]
    }

    /// A member that is not imported as it is.
    public enum Change: Hashable, Sendable {
        case controlCharactersInName, nameWasCut, photoWasDropped, emailWasDropped, identityEmailWasDropped
        case languageWasDropped, timeZoneWasDropped
        case secondFactorsWereDropped
        case secondFactorIsNotDemanded
        case passkeysWereDropped
        /// The reserved names.
        case claimsWereDropped([String])

        public var message: String {
            switch self {
            case .controlCharactersInName: "line breaks in a name became spaces"
            case .nameWasCut: "a name was cut at 1024 characters"
            case .photoWasDropped: "photoUrl was left out: it has more than 4096 bytes, or control characters"
            case .emailWasDropped: "email was left out: it has no ASCII form"
            case .identityEmailWasDropped: "email of an identity was left out: it is invalid or has no ASCII form"
            case .languageWasDropped: "language was left out: it is not supported"
            case .timeZoneWasDropped: "timeZone was left out: it is not the name of an IANA time zone"
            case .secondFactorsWereDropped: "second factors were left out"
            case .secondFactorIsNotDemanded:
                "the account signs in without its second factor, because second factors are disabled"
            case .passkeysWereDropped: "passkeys were left out"
            case .claimsWereDropped(let names):
                "custom claims with reserved names were left out: \(names.joined(separator: ", "))"
            }
        }
    }
}

extension ImportedUser.Fault {
    /// - Parameter error: the error of decoding an entry.
    init(decoding error: any Error) {
        let refusal: RequestRefusal? =
            switch error {
            case let fault as JSONFault: RequestRefusal(fault)
            case let error as DecodingError: RequestRefusal(error)
            case let error as RequestRefusal: error
            default: nil
            }
        self = .unreadable(refusal?.messageForRow ?? "the entry cannot be decoded")
    }

    /// - Parameter member: the member whose value another account has.
    public init(taken member: UniqueMember) {
        self =
            switch member {
            case .id: .idIsTaken
            case .email: .emailIsTaken
            case .phoneNumber: .phoneNumberIsTaken
            case .identity: .identityIsTaken
            case .passkey: .passkeyIsTaken
            case .userHandle: .userHandleIsTaken
            }
    }

    public var message: String {
        switch self {
        case .unreadable(let reason): reason
        case .idIsMissing: "localId is missing"
        case .idIsInvalid: "localId is invalid"
        case .tenantMismatch: "Tenant id in userInfo does not match the tenant id in request."
        case .emailIsInvalid: "email is invalid"
        case .identityIsIncomplete: "federatedId or (providerId & rawId) is required"
        case .severalIdentities(let provider):
            "providerUserInfo has several identities of \(provider.rawValue), but an account can have only one"
        case .tooManyIdentities: "providerUserInfo has more than \(ImportedUser.identityLimit) entries"
        case .phoneNumberIsInvalid: "phone number format is invalid"
        case .claimsAreInvalid: "Invalid custom claims provided."
        case .claimsAreTooLarge: "Custom claims provided are too large."
        case .hasSecondFactor: "Second factor not supported."
        case .factorNeedsEmail: "Second factor account requires email to be presented."
        case .factorNeedsVerifiedEmail: "Second factor account requires email to be verified."
        case .severalFactors:
            "mfaInfo must have at most five second factors, at most one one-time password, and each number once"
        case .factorPhoneNumberIsInvalid: "Phone number format is invalid"
        case .factorIDIsInvalid: "mfaEnrollmentId is invalid"
        case .factorIDIsRepeated: "Enrollment id already exists."
        case .factorSecretIsMissing: "the one-time password has no sharedSecretKey"
        case .factorSecretIsInvalid: "sharedSecretKey is invalid"
        case .tooManyPasskeys: "passkeyInfo has more than \(Passkey.limit) entries"
        case .passkeyIsRepeated: "passkeyInfo has several passkeys with the same credentialId"
        case .passkeyIsInvalid(let member): "passkeyInfo: \(member) is invalid"
        case .passkeyOfOtherRPID(let rpID?): "passkeyInfo: rpId is not that of the project, which is \(rpID)"
        case .passkeyOfOtherRPID(nil): "the account has passkeys, but the project has no RP ID"
        case .timeIsInvalid: "createdAt, lastLoginAt or validSince is invalid"
        case .validSinceIsInFuture: "validSince is in the future"
        case .password(let fault): fault.problem
        case .emailIsTaken: "email exists in other account in database"
        case .identityIsTaken: "raw id exists in other account in database"
        case .phoneNumberIsTaken: "phone number exists in other account in database"
        case .passkeyIsTaken: "passkey exists in other account in database"
        case .userHandleIsTaken: "passkeyInfo: userHandle exists in other account in database"
        case .idIsTaken: "localId belongs to an existing account - can not overwrite."
        }
    }
}
