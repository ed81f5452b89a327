internal import Encoding
public import Identity
internal import JSON

/// A user in an import request or an import file, unchecked.
public struct ImportedUser: Decodable, Sendable {
    public let localId: String?
    let email: String?
    let emailVerified: Bool?
    let displayName: String?
    let photoUrl: String?
    let phoneNumber: String?
    let disabled: Bool?
    let createdAt: String?
    let lastLoginAt: String?
    /// The name that Firebase's command line writes for ``lastLoginAt``.
    let lastSignedInAt: String?
    let validSince: String?
    let customAttributes: String?
    var passwordHash: String?
    let salt: String?
    var rawPassword: String?
    let providerUserInfo: [LinkedIdentityInput]?
    let mfaInfo: [PresenceOnly]?
    let tenantId: String?

    /// The entries of `providerUserInfo` that become identities: all except `password` and `phone`, which are members
    /// of the account.
    var linkableProviders: [LinkedIdentityInput] {
        (providerUserInfo ?? []).filter {
            $0.providerId != ProviderID.password.rawValue && $0.providerId != ProviderID.phone.rawValue
        }
    }

    /// The entry with its password instead of its hash, if the hash has the format of Firebase's emulator,
    /// `fakeHash:salt=S:password=P`, which Admin SDKs encode in base64. Only for `sekisho dev`.
    var withPasswordOfEmulatorHash: ImportedUser {
        let fake = /fakeHash:salt=[^:]*:password=(?<password>.*)/.dotMatchesNewlines()
        guard let hash = passwordHash.nonEmpty else { return self }
        let decoded = Base64.decode(hash).flatMap { String(validating: $0, as: UTF8.self) }
        guard let match = [hash, decoded ?? ""].lazy.compactMap({ $0.wholeMatch(of: fake) }).first else { return self }
        var user = self
        (user.passwordHash, user.rawPassword) = (nil, String(match.password))
        return user
    }

    /// The reason why an entry is rejected.
    public enum Fault: Error {
        case unreadable(String)
        case idIsMissing, idIsInvalid, tenantMismatch, emailIsInvalid, identityIsIncomplete, tooManyIdentities
        case severalIdentities(ProviderID)
        case phoneNumberIsInvalid
        case claimsAreInvalid, claimsAreTooLarge, claimIsReserved, hasSecondFactor, timeIsInvalid
        case password(PasswordHashRefusal)
        case emailIsTaken, identityIsTaken, phoneNumberIsTaken, idIsTaken
    }

    /// Decodes an entry of an import file, whose members have names in camelCase.
    public init(json: [UInt8]) throws(Fault) {
        do {
            self = try StrictJSON.decode(ImportedUser.self, from: json)
        } catch let fault as JSONFault {
            throw .unreadable(RequestRefusal(fault).messageForRow)
        } catch let error as DecodingError {
            throw .unreadable(RequestRefusal(error).messageForRow)
        } catch let error as RequestRefusal {
            throw .unreadable(error.messageForRow)
        } catch {
            throw .unreadable("the entry cannot be decoded")
        }
    }

    /// Checks the members, and returns the account to import.
    ///
    /// - Parameters:
    ///   - now: replaces a missing creation time and, in whole seconds, a missing `validSince`.
    ///   - scheme: the scheme that the password hashes were computed with.
    ///   - tenant: the tenant that gets the account; `nil` for the project itself.
    /// - Throws: the first ``Fault``, in the order in which Firebase checks the members.
    public func entry(
        at now: Instant, hashedWith scheme: StoredPasswordScheme, in tenant: Tenant?
    ) throws(Fault) -> AccountAdministration.Import {
        guard let localId = localId.nonEmpty else { throw .idIsMissing }
        guard let id = ID<Account>(chosen: localId) else { throw .idIsInvalid }
        guard tenantId.nonEmpty == nil || tenantId == tenant?.id.rawValue else { throw .tenantMismatch }
        let email = email.nonEmpty.flatMap(EmailAddress.init)
        guard email != nil || self.email.nonEmpty == nil else { throw .emailIsInvalid }
        let identities = try identities()
        let phoneNumber = phoneNumber.nonEmpty.flatMap(PhoneNumber.init)
        guard phoneNumber != nil || self.phoneNumber.nonEmpty == nil else { throw .phoneNumberIsInvalid }
        let claims = try claims()
        guard mfaInfo?.isEmpty != false else { throw .hasSecondFactor }
        let times = try times()
        let passwordHash = try storedPassword(scheme)
        let account = Account(
            id: id, email: email, emailIsVerified: email != nil && emailVerified == true,
            displayName: displayName.nonEmpty, photoURL: photoUrl.nonEmpty, phoneNumber: phoneNumber?.rawValue,
            identities: identities, customClaims: claims, isDisabled: disabled == true,
            createdAt: times.created ?? now, lastSignInAt: times.signedIn,
            validSince: times.validSince ?? Instant(seconds: now.seconds))
        return AccountAdministration.Import(
            account: account, password: rawPassword.nonEmpty.map(Secret.init), passwordHash: passwordHash)
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

    private func identities() throws(Fault) -> [LinkedIdentity] {
        let providers = linkableProviders
        guard providers.count <= Self.identityLimit else { throw .tooManyIdentities }
        var identities: [LinkedIdentity] = []
        for provider in providers {
            let identity: LinkedIdentity
            do {
                identity = try provider.identity()
            } catch {
                throw .identityIsIncomplete
            }
            if let other = identities.first(where: { $0.provider == identity.provider }) {
                guard other.subject.isExactly(identity.subject) else { throw .severalIdentities(other.provider) }
                continue
            }
            identities.append(identity)
        }
        return identities
    }

    private func claims() throws(Fault) -> Claims? {
        guard let customAttributes = customAttributes.nonEmpty else { return nil }
        do {
            return try Claims(checking: customAttributes)
        } catch {
            switch error {
            case .tooLarge: throw .claimsAreTooLarge
            case .reserved: throw .claimIsReserved
            case .invalid: throw .claimsAreInvalid
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

extension ImportedUser.Fault {
    /// - Parameter member: the member whose value another account has.
    public init(taken member: UniqueMember) {
        self =
            switch member {
            case .id: .idIsTaken
            case .email: .emailIsTaken
            case .phoneNumber: .phoneNumberIsTaken
            case .identity: .identityIsTaken
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
        case .claimIsReserved: "Custom claims provided include a reserved claim."
        case .hasSecondFactor: "Second factor not supported."
        case .timeIsInvalid: "createdAt, lastLoginAt or validSince is invalid"
        case .password(let fault): fault.problem
        case .emailIsTaken: "email exists in other account in database"
        case .identityIsTaken: "raw id exists in other account in database"
        case .phoneNumberIsTaken: "phone number exists in other account in database"
        case .idIsTaken: "localId belongs to an existing account - can not overwrite."
        }
    }
}
