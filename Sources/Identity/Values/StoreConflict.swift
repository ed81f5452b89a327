/// Why a store did not apply a write. Nothing of the write was applied, unless the method documents otherwise.
public enum StoreConflict: Error, Hashable {
    /// The account or the session has changed since the caller read it. The caller has to read it again and repeat the
    /// decision.
    case stale
    /// Another account already has the same value of this member.
    case taken(UniqueMember)
    /// A single-use value (code, nonce, pending token, merge token) was used before.
    case alreadyUsed
    case notFound
    /// The write would remove the account's last sign-in method.
    case lastSignInMethod
}

/// Runs `attempt` at most five times, as long as it fails with a conflict that another transaction caused.
///
/// - Parameters:
///   - isConflict: whether the error is such a conflict. Any other error is rethrown at once.
///   - pause: the range of the random delay before the next attempt, so that the other transaction can finish; `nil`
///     for no delay.
///   - attempt: the operation; its argument is the number of the attempt, counted from 1.
/// - Throws: ``PersistentConflict`` after the last attempt.
public func retryingConflicts<Value>(
    where isConflict: (any Error) -> Bool = { $0 as? StoreConflict == .stale },
    pauseMilliseconds pause: ClosedRange<Int>? = nil,
    _ attempt: (_ number: Int) async throws -> sending Value
) async throws -> sending Value {
    let attempts = 5
    for number in 1...attempts {
        do {
            return try await attempt(number)
        } catch let error where isConflict(error) {
            if let pause, number < attempts { try await Task.sleep(for: .milliseconds(Int.random(in: pause))) }
        }
    }
    throw PersistentConflict(attempts: attempts)
}

/// Other transactions changed the same rows during every attempt. Nothing was applied, and a retry may succeed.
public struct PersistentConflict: Error {
    public let attempts: Int

    public init(attempts: Int) {
        self.attempts = attempts
    }
}

/// Runs a write to a store. If the write throws a ``StoreConflict``, throws the error that `refusal` returns for it.
func mappingConflicts<Value: Sendable>(
    to refusal: (StoreConflict) -> any Error, _ write: () async throws -> Value
) async throws -> Value {
    do {
        return try await write()
    } catch let conflict as StoreConflict {
        throw refusal(conflict)
    }
}

/// The error that each operation throws for a conflict. A conflict without a refusal is not translated: the operation
/// either tries again or fails with an internal error.
extension StoreConflict {
    var refusalOfSignUp: any Error { self == .taken(.email) ? SignUpRefusal.emailTaken : self }

    /// - Parameter policy: decides whether the refusal reveals that the account exists.
    func refusalOfPasswordSignIn(by policy: Policy) -> any Error {
        self == .stale ? SignInRefusal(addressIsKnown: true, policy: policy) : self
    }

    var refusalOfCustomTokenSignIn: any Error {
        switch self {
        case .stale: SignInRefusal.accountDisabled
        case .notFound: CustomTokenRefusal.invalid(.olderThanDeletion)
        case .taken, .alreadyUsed, .lastSignInMethod: self
        }
    }

    /// The refusal if the owner of an account changes or deletes it, or ends all its sessions.
    var refusalOfEdit: any Error {
        switch self {
        case .stale: TokenRefusal.sessionEnded
        case .taken(.email): EditRefusal.emailTaken
        case .lastSignInMethod: EditRefusal.lastSignInMethod
        case .taken, .alreadyUsed, .notFound: self
        }
    }

    var refusalOfSessionEnd: any Error { self == .notFound ? SessionRefusal.unknownSession : self }

    var refusalOfAdministration: any Error {
        switch self {
        case .taken(let member): AdministrationRefusal.taken(member)
        case .notFound: AdministrationRefusal.accountUnknown
        case .stale, .alreadyUsed, .lastSignInMethod: self
        }
    }

    /// The refusal of a request that redeems an email action code.
    var refusalOfCodeRedemption: any Error {
        switch self {
        case .alreadyUsed, .notFound: OOBCodeRefusal.invalid
        case .taken(.email): OOBCodeRefusal.emailTaken
        case .stale, .taken, .lastSignInMethod: self
        }
    }

    var refusalOfTenantCreation: any Error { self == .notFound ? TenantRefusal.projectUnknown : self }

    /// The refusal if the owner undoes a merge with an emailed link.
    var refusalOfOwnersUndo: any Error { self == .stale ? self : OOBCodeRefusal.invalid }

    func refusalOfFederatedSignIn(with proof: ResolvedProof) -> any Error {
        self == .alreadyUsed ? proof.reuseRefusal : self
    }

    var refusalOfMerge: any Error {
        switch self {
        // The transfer of an Apple identity can need a subject or an address that another account has received.
        case .stale, .taken: MergeRefusal.changed
        case .alreadyUsed: ProviderRefusal.tokenAlreadyUsed
        case .notFound, .lastSignInMethod: self
        }
    }

    var refusalOfAdministratorsMerge: any Error { self == .alreadyUsed ? MergeRefusal.alreadyMerged : refusalOfMerge }

    /// The refusal if an administrator undoes a merge.
    var refusalOfAdministratorsUndo: any Error {
        switch self {
        case .taken(let member): UndoRefusal.taken(member)
        case .notFound: UndoRefusal.unknown
        case .stale, .alreadyUsed, .lastSignInMethod: self
        }
    }
}
