extension OOBCodeSender {
    /// A code to be issued.
    struct Draft {
        let purpose: OOBCode.Purpose
        let account: Account?
        /// The session of the owner who requested the code.
        let session: Session?
        let email: EmailAddress
        let newEmail: EmailAddress?
        /// The kind of the email; `nil` for that of the purpose.
        var kind: OutgoingEmail.Kind?
        /// How long the email states that it is valid; `nil` for the lifetime of the code.
        var emailLifetime: Duration?

        init(
            _ purpose: OOBCode.Purpose, of account: Account? = nil, by session: Session? = nil,
            about email: EmailAddress, newEmail: EmailAddress? = nil
        ) {
            self.purpose = purpose
            self.account = account
            self.session = session
            self.email = email
            self.newEmail = newEmail
        }
    }

    /// Stores a new code, enqueues its email unless `sendsEmail` is `false`, and returns the code.
    @discardableResult
    func issue(
        _ draft: Draft, _ content: EmailPayload, sendsEmail: Bool = true,
        for administrator: (AuditNote, AuditActor)? = nil, in realm: Realm, from context: RequestContext
    ) async throws -> String {
        var content = content
        let secret = emailFactory.newCode()
        content.code = secret
        let now = clock.now()
        let end = now + draft.purpose.lifetime(by: realm.policy)
        let code = OOBCode(
            hash: emailFactory.hash(secret), purpose: draft.purpose, account: draft.account?.id,
            generation: draft.purpose.dependsOnGeneration ? draft.account?.generation : nil, email: draft.email,
            newEmail: draft.newEmail, createdAt: now, expiresAt: end)
        let outgoing: OutgoingEmail? =
            if sendsEmail, let kind = draft.kind ?? OutgoingEmail.Kind(rawValue: draft.purpose.rawValue) {
                try emailFactory.outgoingEmail(
                    kind, to: draft.newEmail ?? draft.email, about: draft.account?.id, content, from: context, at: now,
                    until: draft.emailLifetime.map { now + $0 } ?? end)
            } else { nil }
        try await mappingConflicts(to: \.refusalOfEdit) {
            try await codes.issue(
                code, sending: outgoing, bySession: draft.session, forAdministrator: administrator, in: realm.id)
        }
        return secret
    }
}

extension OOBCode.Purpose {
    /// Whether a new generation invalidates the code, because it gives control of the account. Other codes, such as
    /// sign-in links, become invalid only if a change of the account deletes them.
    var dependsOnGeneration: Bool { self == .resetPassword || self == .changeEmail }

    func lifetime(by policy: Policy) -> Duration {
        switch self {
        case .verifyEmail, .changeEmail: policy.verificationLifetime
        case .resetPassword: policy.resetLifetime
        case .signIn: Policy.signInLinkLifetime
        case .recoverEmail: Policy.recoveryLifetime
        case .removeSignInMethod, .revertFactorAddition: Policy.removalLinkLifetime
        case .undoMerge: AccountMerging.undoWindow
        }
    }
}

extension OOBCodeSender.Request {
    /// - Returns: `nil` unless the purpose is ``OOBCode/Purpose/changeEmail``.
    func checkedNewEmail() throws(OOBSendingRefusal) -> EmailAddress? {
        guard purpose == .changeEmail else { return nil }
        guard let newEmail, !newEmail.isEmpty else { throw .missingNewEmail }
        guard let email = EmailAddress(newEmail) else { throw .invalidNewEmail }
        return email
    }
}
