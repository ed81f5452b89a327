/// Stores second factors and recovery codes. Every call is one statement or one transaction, and stores its audit
/// events. Every call may throw ``StoreUnavailable``.
public protocol FactorStore: Sendable {
    /// The one-time password that the account has enrolled with this ID, and the database's time; `nil` if there is
    /// none. Gateways compare codes at the database's time, because their own clocks may differ.
    func totp(
        _ factor: ID<Factor>, of account: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) async throws -> StoredTOTP?

    /// The database's time.
    func time(at now: Instant) async throws -> Instant

    /// Counts a wrong one-time password.
    ///
    /// - Parameter notice: returns the emails to enqueue, from the number of wrong ones since the last right one.
    func recordFailure(
        of factor: ID<Factor>, of account: ID<Account>, in realm: ID<Realm>,
        announcing notice: @escaping @Sendable (_ failures: Int) throws -> EmailBatch
    ) async throws

    /// Whether the account has a known network among `networkHashes`; see ``NetworkHashing``.
    func hasKnownNetwork(
        _ account: ID<Account>, among networkHashes: [[UInt8]], since: Instant, in realm: ID<Realm>
    ) async throws -> Bool

    /// Applies a change of the account of `caller`.
    ///
    /// - Returns: the account after the change.
    /// - Throws: ``StoreConflict/stale`` if the session has ended or the account is disabled; ``FactorRefusal/exists``,
    ///   ``FactorRefusal/limitExceeded``, ``FactorRefusal/factorUnknown``, ``FactorRefusal/invalidSessionInfo``.
    func apply(_ change: FactorChange, by caller: Session, in realm: ID<Realm>) async throws -> Account
}

/// A one-time password as it is stored.
public struct StoredTOTP: Sendable {
    /// The encrypted secret.
    public let sealedSecret: [UInt8]
    /// The number of wrong passwords since the last right one.
    public let failures: Int
    /// The database's time when it read the row.
    public let readAt: Instant

    public init(sealedSecret: [UInt8], failures: Int, readAt: Instant) {
        self.sealedSecret = sealedSecret
        self.failures = failures
        self.readAt = readAt
    }
}

/// A one-time password to be stored.
public struct NewTOTP: Hashable, Sendable {
    public let factor: Factor
    /// The encrypted secret.
    public let sealedSecret: [UInt8]
    /// The step of the last password that was used. Passwords of this step and earlier ones are rejected.
    public let lastStep: Int64

    public init(factor: Factor, sealedSecret: [UInt8], lastStep: Int64) {
        self.factor = factor
        self.sealedSecret = sealedSecret
        self.lastStep = lastStep
    }
}

/// A second factor to be stored with a new account.
public struct NewFactor: Hashable, Sendable {
    public let factor: Factor
    /// `nil` for a telephone number.
    public let totp: NewTOTP?

    public init(_ totp: NewTOTP) {
        factor = totp.factor
        self.totp = totp
    }

    public init(phone factor: Factor) {
        self.factor = factor
        totp = nil
    }
}

/// A change of the second factors of the caller's account.
public struct FactorChange: Sendable {
    public enum Step: Sendable {
        /// - Parameter enrolment: the key of the enrolment, which is consumed.
        case enroll(NewTOTP, enrolment: ReplayKey)
        /// - Parameter proof: the code, which is consumed.
        case enrollPhone(Factor, proof: PhoneProof)
        case withdraw(Factor)
        /// Replaces all recovery codes by codes with these hashes.
        case replaceRecoveryCodes([[UInt8]])
    }

    public let step: Step
    /// The session that replaces the caller's; `nil` keeps the caller's session.
    public let session: NewSession?
    public let emailBatch: EmailBatch
    public let recording: EventRecording
    public let changedAt: Instant

    public init(
        _ step: Step, opening session: NewSession?, sending emailBatch: EmailBatch, recording: EventRecording,
        at changedAt: Instant
    ) {
        self.step = step
        self.session = session
        self.emailBatch = emailBatch
        self.recording = recording
        self.changedAt = changedAt
    }

    /// The event of the change.
    public func event(of account: ID<Account>) -> AccountEvent {
        let change: AccountEvent.Change =
            switch step {
            case .enroll(let totp, _): .factorAdded(totp.factor.kind, totp.factor.id)
            case .enrollPhone(let factor, _): .factorAdded(factor.kind, factor.id)
            case .withdraw(let factor): .factorRemoved(factor.kind, factor.id)
            case .replaceRecoveryCodes: .recoveryCodesRenewed
            }
        return AccountEvent(change, of: account)
    }
}

/// A proven second factor, which the sign-in consumes.
public struct SecondFactorUse: Hashable, Sendable {
    public enum Proof: Hashable, Sendable {
        /// A one-time password of this step.
        case totp(ID<Factor>, step: Int64)
        /// A code that was sent to the number of the factor.
        case phone(ID<Factor>, PhoneProof)
        /// A recovery code with this hash.
        case recoveryCode(hash: [UInt8])
    }

    /// The account that has the factor.
    public let account: ID<Account>
    /// The generation of the account when the first factor was proven.
    public let generation: Int64
    public let proof: Proof
    public let pendingCredential: ReplayKey
    /// The notice that a recovery code was used.
    public let emailBatch: EmailBatch
    public let recording: EventRecording

    public init(
        _ proof: Proof, of account: Account, pendingCredential: ReplayKey, emailBatch: EmailBatch,
        recording: EventRecording
    ) {
        self.account = account.id
        generation = account.generation
        self.proof = proof
        self.pendingCredential = pendingCredential
        self.emailBatch = emailBatch
        self.recording = recording
    }

    /// The events of the use. A sign-in with a one-time password or with a code to a telephone number has none.
    public var events: [AccountEvent] {
        switch proof {
        case .totp, .phone: []
        case .recoveryCode: [AccountEvent(.recoveryCodeUsed, of: account)]
        }
    }

    /// The second factor of the session that the sign-in opens.
    var sessionFactor: SessionFactor {
        switch proof {
        case .totp(let factor, _): SessionFactor(.totp, factor)
        case .phone(let factor, _): SessionFactor(.phone, factor)
        case .recoveryCode: SessionFactor(.recoveryCode)
        }
    }
}
