internal import Encoding

/// Why a sign-in to an account fails at present, or why a part of it does not work.
public struct SignInObstacle: Hashable, Sendable {
    /// The wire's `code`.
    public enum Code: String, CaseIterable, Sendable {
        case accountDisabled = "ACCOUNT_DISABLED"
        /// The account is a guest: only its present session can use it.
        case noSignInMethod = "NO_SIGN_IN_METHOD"
        /// Each sign-in method of the account has an obstacle.
        case noUsableMethod = "NO_USABLE_METHOD"
        /// The project, or each of its apps, does not accept the method.
        case methodNotAvailable = "METHOD_NOT_AVAILABLE"
        /// The provider has disabled the user's account there.
        case identitySuspended = "IDENTITY_SUSPENDED"
        /// The project has no sender of text messages.
        case factorNotAvailable = "FACTOR_NOT_AVAILABLE"
        case noUsableFactor = "NO_USABLE_FACTOR"
        /// So many passwords were wrong that only networks with a recent session may try at any time.
        case passwordLimit = "PASSWORD_LIMIT"
        /// As many passwords were wrong as one network may send: a network that has sent them all has to wait.
        case networkPasswordLimit = "NETWORK_PASSWORD_LIMIT"
        /// So many one-time passwords were wrong that only networks with a recent session may try.
        case factorLimit = "FACTOR_LIMIT"
        /// Apple forwards no email, so that links and codes do not arrive.
        case relayStopped = "RELAY_STOPPED"

        /// Whether no sign-in succeeds while the obstacle exists.
        public var stopsEverySignIn: Bool {
            switch self {
            case .accountDisabled, .noSignInMethod, .noUsableMethod, .noUsableFactor: true
            case .methodNotAvailable, .identitySuspended, .factorNotAvailable, .passwordLimit, .networkPasswordLimit,
                .factorLimit, .relayStopped:
                false
            }
        }
    }

    public let code: Code
    /// The sign-in method or second factor that does not work; `nil` if the obstacle concerns no single one.
    public let method: ProviderID?

    init(_ code: Code, of method: ProviderID? = nil) {
        self.code = code
        self.method = method
    }
}

extension SignInObstacle {
    /// - Parameter isReached: whether a rate limit of the account is reached.
    static func all(
        of account: Account, in realm: Realm, isReached: (LimitKey, _ limit: Int, _ window: Duration) -> Bool
    ) -> [SignInObstacle] {
        (account.isDisabled ? [SignInObstacle(.accountDisabled)] : []) + methods(of: account, in: realm)
            + factors(of: account, in: realm) + limits(of: account, in: realm, isReached)
    }

    private static func methods(of account: Account, in realm: Realm) -> [SignInObstacle] {
        let usable = UsableSignInMethods(for: account, in: realm)
        let credentials: [(isPresent: Bool, method: ProviderID)] = [
            (account.hasPassword, .password), (account.usesEmailLinks, .emailLink),
            (account.phoneNumber != nil, .phone),
        ]
        let unavailable =
            account.identities.map(\.provider).filter { !usable.contains($0) }
            + credentials.filter { $0.isPresent && !usable.contains($0.method, of: account) }.map(\.method)
            + (account.passkeys.isEmpty || account.passkeys.contains { usable.contains($0) } ? [] : [.passkey])
        let suspended = account.identities.filter(\.isSuspended).map(\.provider)
        let stopped = account.identities.filter { $0.emailForwarding == false }.map(\.provider)
        let general: [SignInObstacle] =
            if account.isAnonymous { [SignInObstacle(.noSignInMethod)] } else {
                usable.count(of: account) == 0 && !canResetPassword(of: account, usable)
                    ? [SignInObstacle(.noUsableMethod)] : []
            }
        return general + unavailable.map { SignInObstacle(.methodNotAvailable, of: $0) }
            + suspended.map { SignInObstacle(.identitySuspended, of: $0) }
            + stopped.map { SignInObstacle(.relayStopped, of: $0) }
    }

    /// Whether the owner of the mailbox can sign in by a link, or set a password first.
    private static func canResetPassword(of account: Account, _ usable: UsableSignInMethods) -> Bool {
        account.email != nil && (usable.contains(.password) || usable.contains(.emailLink))
    }

    private static func factors(of account: Account, in realm: Realm) -> [SignInObstacle] {
        guard realm.policy.secondFactors.demandsFactor(of: account), realm.project.sms.url == nil else { return [] }
        let kinds = account.secondFactors.factors.map(\.kind)
        guard kinds.contains(.phone) else { return [] }
        let others = kinds.contains(.totp) || account.secondFactors.recoveryCodes != nil
        return (others ? [] : [SignInObstacle(.noUsableFactor)]) + [SignInObstacle(.factorNotAvailable, of: .phone)]
    }

    private static func limits(
        of account: Account, in realm: Realm, _ isReached: (LimitKey, _ limit: Int, _ window: Duration) -> Bool
    ) -> [SignInObstacle] {
        var obstacles: [SignInObstacle] = []
        let limit = realm.policy.passwordFailureLimit
        if let email = account.email, account.hasPassword, limit > 0 {
            let (key, window) = (LimitKey.addressPasswordFailures(email), Policy.addressFailureWindow)
            if isReached(key, Policy.addressFailureLimit, window) {
                obstacles.append(SignInObstacle(.passwordLimit, of: .password))
            } else if isReached(key, limit, window) {
                obstacles.append(SignInObstacle(.networkPasswordLimit, of: .password))
            }
        }
        if realm.policy.secondFactors.demandsFactor(of: account),
            isReached(
                .accountFactorFailures(account.id), SecondFactorPolicy.hourlyFailureLimit,
                SecondFactorAttempt.hour)
        {
            obstacles.append(SignInObstacle(.factorLimit))
        }
        return obstacles
    }
}
