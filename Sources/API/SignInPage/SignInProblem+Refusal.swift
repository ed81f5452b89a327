internal import Identity
internal import Pages

extension SignInProblem {
    /// The texts reveal less than the codes of the API: whether an address or a password is wrong has one text.
    init(_ refusal: any Refusal) {
        self =
            switch refusal {
            case let limit as TooManyAttempts: .tooManyAttempts(minutes: limit.retryAfter.delayMinutes)
            case SignInRefusal.unknownEmail, SignInRefusal.wrongPassword, SignInRefusal.unknownEmailOrWrongPassword:
                .wrongCredentials
            case SignInRefusal.accountDisabled, TokenRefusal.accountDisabled: .accountDisabled
            case SignInRefusal.otherAccount, LinkRefusal.accountUnknown: .userMismatch
            case SignUpRefusal.emailTaken: .emailTaken
            case CredentialRefusal.missingEmail, CredentialRefusal.invalidEmail: .invalidEmail
            case CredentialRefusal.missingPassword: .missingPassword
            case CredentialRefusal.weakPassword(let minimum): .weakPassword([.minimumLength(minimum)])
            case CredentialRefusal.passwordLacks(let requirements): .weakPassword(requirements)
            case SignInPageRefusal.wrongEmailCode: .wrongCode
            case SignInPageRefusal.emailExpired, SignInPageRefusal.flowInvalid: .emailExpired
            case SignInPageRefusal.onlyLink: .onlyLink
            case SignInPageRefusal.previewOutdated: .previewOutdated
            case FactorRefusal.invalidCode, PhoneRefusal.invalidCode, OOBCodeRefusal.invalid: .wrongCode
            case FactorRefusal.invalidPendingCredential, OOBCodeRefusal.expired, PasskeyRefusal.challengeExpired,
                EditRefusal.loginTooOld, SignInPageRefusal.stepExpired:
                .codeExpired
            case PasskeyRefusal.unknown: .unknownPasskey
            case is SignUpRefusal, SignInRefusal.passwordsNotAllowed, PasskeyRefusal.notEnabled, is OOBCodeRefusal,
                is ProviderRefusal:
                .notAvailable
            case AuthorizationRefusal.cancelled: .cancelled
            case HookRefusal.refused(_, let message?): .vetoed(message)
            default: .rejected
            }
    }

    /// Whether a blocking function has refused. The same proof would be refused again.
    var isVeto: Bool { if case .vetoed = self { true } else { false } }

    var status: Int {
        switch self {
        case .tooManyAttempts, .onlyLink: 429
        default: 400
        }
    }
}
