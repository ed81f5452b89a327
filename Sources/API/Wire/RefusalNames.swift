internal import Identity

/// Gives each refusal its wire code; the initializers that others need are in files beside this one. A new case of a
/// refusal does not compile until it has a code. A new type has to be added to the list below: without that it is
/// answered with 500, and `RefusalTests` fails.
extension WireError {
    /// - Returns: `nil` for an error that is ours and not the caller's.
    init?(_ error: any Error) {
        switch error {
        case let error as WireError: self = error
        case let refusal as AccessRefusal: self.init(refusal)
        case let refusal as RequestRefusal: self.init(refusal)
        case let refusal as CredentialRefusal: self.init(refusal)
        case let refusal as SignInRefusal: self.init(refusal)
        case let refusal as SignUpRefusal: self.init(refusal)
        case let refusal as TokenRefusal: self.init(refusal)
        case let refusal as EditRefusal: self.init(refusal)
        case let refusal as TenantRefusal: self.init(refusal)
        case let refusal as SessionRefusal: self.init(refusal)
        case let refusal as OOBSendingRefusal: self.init(refusal)
        case let refusal as OOBCodeRefusal: self.init(refusal)
        case let refusal as ContinueURL.Refusal: self.init(refusal)
        case let refusal as LinkRefusal: self.init(refusal)
        case let refusal as MergeRefusal: self.init(refusal)
        case let refusal as IdentityRefusal: self.init(refusal)
        case let refusal as UndoRefusal: self.init(refusal)
        case let refusal as QueryRefusal: self.init(refusal)
        case let refusal as AdministrationRefusal: self.init(refusal)
        case let refusal as CustomTokenRefusal: self.init(refusal)
        case let refusal as ProviderRefusal: self.init(refusal)
        case let refusal as ConfigurationRefusal: self.init(refusal)
        case let refusal as ConfigurationEditRefusal: self.init(refusal)
        case let refusal as TooManyAttempts: self = .tooManyAttempts(retryAfter: refusal.retryAfter)
        default: return nil
        }
    }

    init(_ refusal: AccessRefusal) {
        self =
            switch refusal {
            case .nothingShown: .missingAPIKey
            case .unknownKey: .unknownAPIKey
            case .bearerNotAccepted: .invalidBearer
            case .otherProject: .permissionDenied
            case .administratorsOnly: .projectNotChosenByClients
            case .scopeMissing(let scope): .scopeMissing(scope.rawValue)
            }
    }

    init(_ refusal: RequestRefusal) {
        self =
            switch refusal {
            case .invalidField(let pointer, let problem): .invalidField(pointer, problem)
            case .notFound: .notFound
            case .notImplemented(let what): .notImplemented(what)
            }
    }

    init(_ refusal: CredentialRefusal) {
        let message =
            switch refusal {
            case .missingEmail: "MISSING_EMAIL"
            case .invalidEmail: "INVALID_EMAIL"
            case .missingPassword: "MISSING_PASSWORD"
            case .weakPassword(let minimum): "WEAK_PASSWORD : Password should be at least \(minimum) characters"
            case .passwordLacks(let requirements):
                "PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: ["
                    + requirements.map(\.sentence).joined(separator: ", ") + "]"
            }
        self = .refused(message)
    }

    init(_ refusal: SignInRefusal) {
        let message =
            switch refusal {
            case .passwordsNotAllowed: "PASSWORD_LOGIN_DISABLED"
            case .unknownEmail: "EMAIL_NOT_FOUND"
            case .wrongPassword: "INVALID_PASSWORD"
            case .unknownEmailOrWrongPassword: "INVALID_LOGIN_CREDENTIALS"
            case .accountDisabled: "USER_DISABLED"
            }
        self = .refused(message)
    }

    init(_ refusal: SignUpRefusal) {
        let message =
            switch refusal {
            case .passwordsNotAllowed: "OPERATION_NOT_ALLOWED"
            case .anonymousNotAllowed: "ADMIN_ONLY_OPERATION"
            case .emailTaken: "EMAIL_EXISTS"
            }
        self = .refused(message)
    }

    init(_ refusal: TokenRefusal) {
        self =
            switch refusal {
            case .invalidIDToken: .refused("INVALID_ID_TOKEN")
            case .otherTenant: .tenantMismatch
            case .invalidRefreshToken: .refused("INVALID_REFRESH_TOKEN")
            case .sessionEnded: .refused("TOKEN_EXPIRED")
            case .refreshTokenStolen: .refused("TOKEN_EXPIRED", loggedAs: "REFRESH_TOKEN_STOLEN")
            case .accountGone: .refused("USER_NOT_FOUND")
            case .accountDisabled: .refused("USER_DISABLED")
            }
    }

    init(_ refusal: TenantRefusal) {
        self =
            switch refusal {
            case .unknown: .unknownTenant
            case .mismatch: .tenantMismatch
            case .disabled: .refused("PROJECT_DISABLED")
            case .notForTenants: .refused("UNSUPPORTED_TENANT_OPERATION")
            }
    }

    init(_ refusal: EditRefusal) {
        let message =
            switch refusal {
            case .passwordsNotAllowed: "OPERATION_NOT_ALLOWED"
            case .emailTaken: "EMAIL_EXISTS"
            case .lastSignInMethod:
                "LAST_SIGN_IN_METHOD : This would remove the account's last sign-in method. Set allowNoSignInMethod to true to confirm."
            case .loginTooOld: "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
            case .emailNeedsVerification:
                "OPERATION_NOT_ALLOWED : Please verify the new email before changing email."
            }
        self = .refused(message)
    }

    init(_ refusal: SessionRefusal) {
        self =
            switch refusal {
            case .unknownSession: .refused("SESSION_NOT_FOUND")
            }
    }

    init(_ refusal: LinkRefusal) {
        let message =
            switch refusal {
            case .identityTaken: "FEDERATED_USER_ID_ALREADY_LINKED"
            case .providerAlreadyLinked: "PROVIDER_ALREADY_LINKED"
            case .emailTaken: "EMAIL_EXISTS"
            case .accountDisabled: "USER_DISABLED"
            case .accountUnknown: "USER_NOT_FOUND"
            }
        self = .refused(message)
    }

    init(_ refusal: MergeRefusal) {
        let message =
            switch refusal {
            case .sameAccount: "MERGE_SAME_ACCOUNT"
            case .targetUnknown: "USER_NOT_FOUND : No account has this identity; it can be linked."
            case .accountDisabled: "USER_DISABLED"
            case .recoveryPending:
                "RECOVERY_PENDING : The email address of this account was changed recently. Merge it after the recovery "
                    + "link has expired, or ask an administrator."
            case .providersCollide(let providers):
                "PROVIDER_ALREADY_LINKED : Both accounts have an identity of "
                    + providers.map(\.rawValue).joined(separator: " and ") + "."
            case .changed: "MERGE_PREVIEW_OUTDATED : The accounts have changed. Ask for a dry run again."
            case .carriedOut:
                "MERGE_ALREADY_DONE : This merge was carried out; it has been undone since, or can no longer be."
            }
        self = .refused(message)
    }

    init(_ refusal: QueryRefusal) {
        self =
            switch refusal {
            case .tooLong:
                .refused(
                    "QUERY_DEADLINE_EXCEEDED : There are too many accounts to sort by this. Sort by USER_ID, CREATED_AT or USER_EMAIL."
                )
            }
    }

    init(_ refusal: AdministrationRefusal) {
        self =
            switch refusal {
            case .accountUnknown: .refused("USER_NOT_FOUND")
            case .invalidPhoneNumber: .refused("INVALID_PHONE_NUMBER : Invalid format.")
            case .taken(.id): .refused("DUPLICATE_LOCAL_ID")
            case .taken(.email): .refused("EMAIL_EXISTS")
            case .taken(.phoneNumber): .refused("PHONE_NUMBER_EXISTS")
            case .taken(.identity): .refused("FEDERATED_USER_ID_ALREADY_LINKED")
            case .unlinksIdentities: .init(AccessRefusal.scopeMissing(.linkUsers))
            }
    }
}

extension PasswordRequirement {
    /// As Firebase says it, where it has the same rule.
    fileprivate var sentence: String {
        switch self {
        case .minimumLength(let length): "Password must contain at least \(length) characters"
        case .maximumLength(let length): "Password may contain at most \(length) characters"
        case .lowercase: "Password must contain a lower case character"
        case .uppercase: "Password must contain an upper case character"
        case .digit: "Password must contain a numeric character"
        case .symbol: "Password must contain a non-alphanumeric character"
        case .notBreached: "Password must not have appeared in a data breach"
        }
    }
}
