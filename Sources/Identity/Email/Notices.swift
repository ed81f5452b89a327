extension Collaborators {
    /// How long a notice is worth sending.
    private static let noticeLifetime: Duration = .seconds(72 * 3600)

    /// Tells the owner of `account` what became of it: at its address, if that is proven, and mail goes out at all.
    func notice(
        _ kind: OutgoingEmail.Kind, about account: Account, _ content: EmailPayload = EmailPayload(),
        from origin: RequestContext,
        at now: Instant
    ) throws -> [OutgoingEmail] {
        guard let email = account.email, account.emailIsVerified else { return [] }
        return try notice(kind, to: email, about: account.id, content, from: origin, at: now)
    }

    func notice(
        _ kind: OutgoingEmail.Kind, to email: EmailAddress, about account: ID<Account>?,
        _ content: EmailPayload = EmailPayload(),
        from origin: RequestContext, at now: Instant
    ) throws -> [OutgoingEmail] {
        guard outOfBand.isSent else { return [] }
        // A letter is worth sending as long as its links work.
        let lifetime =
            content.removals == nil && kind != .identityLinked
            ? Self.noticeLifetime : Policy.removalLinkLifetime
        return [
            try letter(kind, to: email, about: account, content, from: origin, at: now, until: now + lifetime)
        ]
    }

    func letter(
        _ kind: OutgoingEmail.Kind, to recipient: EmailAddress, about account: ID<Account>?, _ content: EmailPayload,
        from origin: RequestContext, at now: Instant, until end: Instant
    ) throws -> OutgoingEmail {
        let id = outOfBand.letterID()
        return OutgoingEmail(
            id: id, kind: kind, account: account, recipient: recipient, language: origin.language,
            content: try outOfBand.seal(content, id), createdAt: now, expiresAt: end)
    }

    /// Tells the owner of `account` that it has a sign-in method more, with a link that removes it.
    func additionNotice(
        of method: AddedSignInMethod, to account: Account, from origin: RequestContext
    ) throws -> EmailBatch {
        guard let email = account.email, account.emailIsVerified, outOfBand.isSent else { return EmailBatch() }
        let issued = removal(of: method, from: account.id, for: email, at: method.addedAt)
        let content = EmailPayload(code: issued.secret, provider: method.provider)
        let letters = try notice(
            .identityLinked, to: email, about: account.id, content, from: origin, at: method.addedAt)
        return EmailBatch(codes: [issued.code], letters: letters)
    }

    /// Tells the owner of a mailbox that the password was reset by it, with a link for each of `identities` that removes
    /// it.
    func resetNotice(
        to email: EmailAddress, about account: ID<Account>, removing identities: [LinkedIdentity],
        from origin: RequestContext,
        at now: Instant
    ) throws -> EmailBatch {
        guard outOfBand.isSent else { return EmailBatch() }
        let issued = identities.compactMap { identity in
            identity.linkedAt.map { linkedAt in
                let method = AddedSignInMethod(
                    provider: identity.provider, subject: identity.subject, addedAt: linkedAt)
                return (provider: identity.provider, removal(of: method, from: account, for: email, at: now))
            }
        }
        let removals = issued.map { EmailPayload.Removal(provider: $0.provider, code: $0.1.secret) }
        let content = EmailPayload(removals: removals.isEmpty ? nil : removals)
        let letters = try notice(.passwordChanged, to: email, about: account, content, from: origin, at: now)
        return EmailBatch(codes: issued.map(\.1.code), letters: letters)
    }

    private func removal(
        of method: AddedSignInMethod, from account: ID<Account>, for email: EmailAddress, at now: Instant
    ) -> IssuedCode {
        let secret = outOfBand.newCode()
        let code = OOBCode(
            hash: outOfBand.hash(secret), purpose: .removeSignInMethod, account: account, email: email, method: method,
            createdAt: now, expiresAt: now + Policy.removalLinkLifetime)
        return IssuedCode(secret: secret, code: code)
    }

    /// Tells the mailbox that an account leaves, with a way back. An address that was never proven is nobody's to go back
    /// to.
    func farewell(to account: Account, for newEmail: EmailAddress?, from origin: RequestContext, at now: Instant) throws
        -> EmailBatch
    {
        guard let email = account.email, account.emailIsVerified, outOfBand.isSent else { return EmailBatch() }
        let code = outOfBand.newCode()
        let recovery = OOBCode(
            hash: outOfBand.hash(code), purpose: .recoverEmail, account: account.id, email: email, newEmail: newEmail,
            createdAt: now, expiresAt: now + Policy.recoveryLifetime)
        let letters = try notice(
            .emailChanged, to: email, about: account.id, EmailPayload(code: code), from: origin, at: now)
        return EmailBatch(codes: [recovery], letters: letters)
    }
}

extension EmailBatch {
    static func + (left: EmailBatch, right: EmailBatch) -> EmailBatch {
        EmailBatch(codes: left.codes + right.codes, letters: left.letters + right.letters)
    }
}
