/// Whether accounts of a realm have second factors, and which ones they can enrol.
public struct SecondFactorPolicy: Hashable, Sendable {
    public enum State: String, CaseIterable, Sendable {
        /// No sign-in asks for a second factor.
        case disabled
        /// A sign-in asks for a second factor if the account has one.
        case enabled
        /// As ``enabled``. Other sessions are restricted until the account enrols a factor; see
        /// ``Session/isRestricted(by:of:)``.
        case mandatory
    }

    public var state: State
    /// Users can enrol one-time passwords. Enrolled factors are demanded even if this is `false`.
    public var allowsTOTP: Bool
    /// Users can enrol telephone numbers. Sign-ins ask for enrolled numbers even if this is `false`.
    public var allowsSMS: Bool
    /// How many steps of 30 seconds the clock of an authenticator app may be ahead or behind; 0 to 10.
    public var adjacentIntervals: Int
    /// Whether accounts of the realm can have a role in the console: the gateway sets this for the operators' project.
    /// Not stored.
    public var protectsRoles = false

    public init(
        state: State = .disabled, allowsTOTP: Bool = false, allowsSMS: Bool = false, adjacentIntervals: Int = 1
    ) {
        self.state = state
        self.allowsSMS = allowsSMS
        self.allowsTOTP = allowsTOTP
        self.adjacentIntervals = adjacentIntervals
    }

    /// The accepted values of ``adjacentIntervals``.
    public static let adjacentIntervalRange = 0...10
    /// The maximum number of wrong codes for one account from one client network within ``failureWindow``.
    public static let networkFailureLimit = 10
    public static let failureWindow: Duration = .seconds(600)
    /// The maximum number of wrong one-time passwords for one account within an hour: from all networks together, and
    /// then from each known network of the account.
    public static let hourlyFailureLimit = 30
    /// The maximum number of wrong recovery codes for one account within an hour, from all networks together that are
    /// not known networks of the account, and from each known network.
    public static let hourlyRecoveryFailureLimit = 10
    /// After this many wrong one-time passwords without a right one, only ``dailyAttemptLimit`` attempts are allowed
    /// per day from all networks together that are not known networks of the account, and
    /// ``dailyKnownNetworkAttemptLimit`` from each known network. The owner gets a notice.
    public static let failuresUntilDailyLimits = 100
    public static let dailyAttemptLimit = 10
    public static let dailyKnownNetworkAttemptLimit = 50
    /// Lifetime of the secret that a user enters in an authenticator app, until the enrolment is finalized.
    public static let enrolmentLifetime: Duration = .seconds(600)
    /// Lifetime of a pending credential: of a sign-in that waits for its second factor.
    public static let pendingLifetime: Duration = .seconds(300)
}

extension SecondFactorPolicy {
    /// Whether users can enrol factors of this kind.
    public func allows(_ kind: Factor.Kind) -> Bool {
        switch kind {
        case .totp: allowsTOTP
        case .phone: allowsSMS
        }
    }

    /// Whether a session has what the policy demands of the account now: a second factor or a passkey that still
    /// counts, if the account is protected by one. The account may have got a factor since the session was opened.
    func accepts(_ session: Session, of account: Account) -> Bool {
        !demandsProof(of: account) || session.hasSecondFactor(of: account)
    }

    /// Whether a change of what protects `account` needs a session or a proof with a second factor or a passkey:
    /// factors, passkeys, sign-in methods, merges and the deletion. Otherwise a password or a mailbox would be
    /// sufficient to replace them.
    func demandsProof(of account: Account) -> Bool { demandsFactor(of: account) || demandsPasskey(of: account) }

    /// Whether passkeys protect `account` as factors do. A sign-in cannot ask for a passkey after a password, so the
    /// session that it opens is restricted, or at least changes nothing that protects the account.
    func demandsPasskey(of account: Account) -> Bool {
        (state == .mandatory || protectsRoles) && !account.passkeys.isEmpty
    }

    /// Whether the first credential of `account` ends its earlier sessions. Sessions of guests are exempt from a
    /// mandatory second factor. Who has one must not keep the account of the user who has proven the credential. Nor
    /// are two first credentials added at the same time: each finds the other's generation.
    func endsGuestSessions(of account: Account) -> Bool { state == .mandatory && account.isAnonymous }

    /// Whether a sign-in to `account` asks for a second factor.
    func demandsFactor(of account: Account) -> Bool { state != .disabled && !account.secondFactors.isEmpty }
}
