/// The acceptance of an invitation, by a session of the console.
public struct RoleAcceptance: Sendable {
    /// The hash of the invitation's code.
    public let codeHash: [UInt8]
    /// The session of the person who accepts.
    public let session: Session
    /// How to record that factors and passkeys were removed.
    public let recording: EventRecording
    /// For the other owners.
    public let announcement: RoleAnnouncement
    /// Builds the emails that tell the person what was removed.
    public let notice: @Sendable (Account, UnprovenFactors) throws -> EmailBatch

    public init(
        of codeHash: [UInt8], by session: Session, recording: EventRecording, announcing announcement: RoleAnnouncement,
        notice: @escaping @Sendable (Account, UnprovenFactors) throws -> EmailBatch
    ) {
        self.codeHash = codeHash
        self.session = session
        self.recording = recording
        self.announcement = announcement
        self.notice = notice
    }
}

/// The factors and passkeys of an account that a session has not proven.
///
/// A person without a role is protected less than one with a role: a thief may have added a factor in the meantime,
/// which would open the console. Therefore, the acceptance of a first role removes them.
public struct UnprovenFactors: Hashable, Sendable {
    /// The factors that stay. A recovery code proves those that the account had when it was used.
    public let keptFactors: [ID<Factor>]
    public let factors: [Factor]
    public let passkeys: Set<ID<Passkey>>
    /// Whether recovery codes stay: the session was opened with one.
    public let keepsRecoveryCodes: Bool

    /// - Returns: `nil` if the session has neither a second factor nor a passkey that still counts.
    public init?(of account: Account, in session: Session) {
        guard session.hasSecondFactor(of: account) else { return nil }
        let isProven: (Factor) -> Bool = { factor in
            session.passkey == nil
                && SecondFactors(factors: [factor]).confirm(
                    session.secondFactor, authenticatedAt: session.authenticatedAt)
        }
        factors = account.secondFactors.factors.filter { !isProven($0) }
        keptFactors = account.secondFactors.factors.filter(isProven).map(\.id)
        passkeys = Set(account.passkeys.map(\.id).filter { $0 != session.passkey })
        keepsRecoveryCodes = session.secondFactor?.method == .recoveryCode
    }
}

extension UnprovenFactors {
    public var isEmpty: Bool { factors.isEmpty && passkeys.isEmpty }
}

extension EmailFactory {
    /// Returns the emails that tell a person what the acceptance of a role has removed.
    func notice(
        ofRemoving removed: UnprovenFactors, from account: Account, by policy: Policy, from context: RequestContext,
        at now: Instant
    ) throws -> EmailBatch {
        var emails: [OutgoingEmail] = []
        if !removed.factors.isEmpty {
            emails += try notice(.factorRemoved, about: account, by: policy, from: context, at: now)
        }
        if !removed.passkeys.isEmpty {
            emails += try notice(
                .identityUnlinked, about: account, EmailPayload(provider: .passkey), by: policy, from: context, at: now)
        }
        return EmailBatch(emails: emails)
    }
}
