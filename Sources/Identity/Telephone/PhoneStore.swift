/// A proven number to be committed with a session.
public struct PhoneCommit: Sendable {
    public enum Step: Sendable {
        case signIn(Account)
        /// - Parameter former: the account that loses the number.
        case signUp(StoredAccount, insteadOf: Account?)
        case link(Caller)
    }

    public let step: Step
    public let proof: PhoneProof
    public let session: NewSession
    public let emailBatch: EmailBatch
    public let recording: EventRecording

    init(
        _ step: Step, _ proof: PhoneProof, opening session: NewSession, sending emailBatch: EmailBatch,
        recording: EventRecording
    ) {
        self.step = step
        self.proof = proof
        self.session = session
        self.emailBatch = emailBatch
        self.recording = recording
    }

    /// The events of the change. A sign-in has none.
    public var events: [AccountEvent] {
        switch step {
        case .signIn, .signUp(_, insteadOf: nil): []
        case .signUp(_, let former?): [AccountEvent(.phoneTakenOver, of: former.id)]
        case .link(let caller) where caller.account.phoneNumber == proof.number: []
        case .link(let caller): [AccountEvent(.phoneAdded, of: caller.account.id)]
        }
    }
}

/// Stores sign-ins with telephone numbers. The call is one transaction, and may throw ``StoreUnavailable``.
public protocol PhoneStore: Sendable {
    /// Uses up the proof, applies the step and opens the session.
    ///
    /// - Returns: the account after the change.
    /// - Throws: ``StoreConflict/alreadyUsed``; ``StoreConflict/stale`` if the accounts have changed since the
    ///   decision; ``StoreConflict/taken(_:)``.
    func commit(_ commit: PhoneCommit, in realm: ID<Realm>) async throws -> Account
}
