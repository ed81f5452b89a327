internal import HTML
public import Identity

/// What is wrong with a submitted form of the sign-in page. Texts do not reveal whether an account has an address.
public enum SignInProblem: Hashable, Sendable {
    case wrongCredentials
    case emailTaken
    case invalidEmail
    case missingPassword
    /// The requirements that the password does not meet.
    case weakPassword([PasswordRequirement])
    case accountDisabled
    case wrongCode
    case codeExpired
    /// No account has the passkey.
    case unknownPasskey
    case passkeyNotCreated
    /// The email has expired, was replaced, or its code was entered too often.
    case emailExpired
    /// Too many wrong codes were entered for the address.
    case onlyLink
    /// What the user has confirmed is no longer what would happen.
    case previewOutdated
    /// The address must be verified before a factor can be added.
    case unverifiedAddress
    case userMismatch
    case notAvailable
    case providerUnavailable
    case cancelled
    case tooManyAttempts(minutes: Int)
    /// The operator's backend or the gateway rejects the sign-in.
    case rejected
    /// The operator's blocking function rejects the sign-in, and says why.
    case vetoed(HookMessage)
}

extension SignInProblem {
    var concernsEmail: Bool { self == .invalidEmail || self == .emailTaken || self == .wrongCredentials }

    var concernsPassword: Bool {
        switch self {
        case .wrongCredentials, .missingPassword, .weakPassword: true
        default: false
        }
    }

    /// The field that the summary leads to; `nil` for a problem of no field.
    fileprivate var field: ElementID? {
        switch self {
        case .invalidEmail, .emailTaken, .wrongCredentials: .address
        case .missingPassword, .weakPassword: .password
        case .wrongCode, .codeExpired: .code
        default: nil
        }
    }

    fileprivate var text: Text {
        switch self {
        case .wrongCredentials: .signIn(.wrongCredentials)
        case .emailTaken: .signIn(.emailTaken)
        case .invalidEmail: .signIn(.invalidEmail)
        case .missingPassword: .signIn(.missingPassword)
        case .weakPassword: .page(.unsuitablePassword)
        case .accountDisabled: .signIn(.accountDisabled)
        case .wrongCode: .signIn(.wrongCode)
        case .codeExpired: .signIn(.codeExpired)
        case .unknownPasskey: .signIn(.passkeyUnknown)
        case .passkeyNotCreated: .signIn(.passkeyNotCreated)
        case .emailExpired: .signIn(.emailExpired)
        case .onlyLink: .signIn(.onlyLink)
        case .previewOutdated: .signIn(.previewOutdated)
        case .unverifiedAddress: .signIn(.enrolUnverified)
        case .userMismatch: .signIn(.userMismatch)
        case .notAvailable: .signIn(.notAvailable)
        case .providerUnavailable: .signIn(.providerUnavailable)
        case .cancelled: .signIn(.cancelled)
        case .tooManyAttempts(let minutes): .signIn(.tooManyAttempts, [.minutes: .count(minutes)])
        case .rejected: .signIn(.rejected)
        case .vetoed(let message): .signIn(.vetoed, [.message: .name(message.text)])
        }
    }
}

extension Page.Context {
    /// The summary of what is wrong, to which the browser moves the focus.
    /// - Parameter field: the field that was wrong; `nil` for the usual one of the problem.
    func summary(of step: SignInStep, at field: ElementID? = nil) -> [Markup] {
        guard let problem = step.problem else { return [] }
        let text = string(problem.text)
        let content: [Markup] =
            if let field = field ?? problem.field {
                [Markup(.p, [Markup(.a, [.href(.fragment(field))], text: text)])]
            } else {
                [Markup(.p, text: text)]
            }
        var list: [Markup] = []
        if case .weakPassword(let requirements) = problem { list = [self.list(requirements.map(\.label))] }
        return [
            Markup(
                .div, [.id(.problem), .role("alert"), .classes(.problem), .focusableByScript, .autofocus],
                content + list)
        ]
    }
}
