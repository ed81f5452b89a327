extension Collaborators {
    /// How long a notice is worth sending.
    private static let noticeLifetime: Duration = .seconds(72 * 3600)

    /// Tells the owner of `account` what became of it: at its address, if that is proven, and mail goes out at all.
    func notice(
        _ kind: Letter.Kind, about account: Account, _ content: LetterContent = LetterContent(), from origin: Origin,
        at now: Instant
    ) throws -> [Letter] {
        guard let email = account.email, account.emailIsVerified else { return [] }
        return try notice(kind, to: email, about: account.id, content, from: origin, at: now)
    }

    func notice(
        _ kind: Letter.Kind, to email: Email, about account: ID<Account>?, _ content: LetterContent = LetterContent(),
        from origin: Origin, at now: Instant
    ) throws -> [Letter] {
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
        _ kind: Letter.Kind, to recipient: Email, about account: ID<Account>?, _ content: LetterContent,
        from origin: Origin, at now: Instant, until end: Instant
    ) throws -> Letter {
        let id = outOfBand.letterID()
        return Letter(
            id: id, kind: kind, account: account, recipient: recipient, language: origin.language,
            content: try outOfBand.seal(content, id), createdAt: now, expiresAt: end)
    }

    /// Tells the owner of `account` that it has a sign-in method more, with a link that removes it.
    func additionNotice(
        of method: AddedSignInMethod, to account: Account, from origin: Origin
    ) throws -> Mailing {
        guard let email = account.email, account.emailIsVerified, outOfBand.isSent else { return Mailing() }
        let issued = removal(of: method, from: account.id, for: email, at: method.addedAt)
        let content = LetterContent(code: issued.secret, provider: method.provider)
        let letters = try notice(
            .identityLinked, to: email, about: account.id, content, from: origin, at: method.addedAt)
        return Mailing(codes: [issued.code], letters: letters)
    }

    /// Tells the owner of a mailbox that the password was reset by it, with a link for each of `identities` that removes
    /// it.
    func resetNotice(
        to email: Email, about account: ID<Account>, removing identities: [LinkedIdentity], from origin: Origin,
        at now: Instant
    ) throws -> Mailing {
        guard outOfBand.isSent else { return Mailing() }
        let issued = identities.compactMap { identity in
            identity.linkedAt.map { linkedAt in
                let method = AddedSignInMethod(
                    provider: identity.provider, subject: identity.subject, addedAt: linkedAt)
                return (provider: identity.provider, removal(of: method, from: account, for: email, at: now))
            }
        }
        let removals = issued.map { LetterContent.Removal(provider: $0.provider, code: $0.1.secret) }
        let content = LetterContent(removals: removals.isEmpty ? nil : removals)
        let letters = try notice(.passwordChanged, to: email, about: account, content, from: origin, at: now)
        return Mailing(codes: issued.map(\.1.code), letters: letters)
    }

    private func removal(
        of method: AddedSignInMethod, from account: ID<Account>, for email: Email, at now: Instant
    ) -> IssuedCode {
        let secret = outOfBand.newCode()
        let code = OOBCode(
            hash: outOfBand.hash(secret), purpose: .removeSignInMethod, account: account, email: email, method: method,
            createdAt: now, expiresAt: now + Policy.removalLinkLifetime)
        return IssuedCode(secret: secret, code: code)
    }

    /// Tells the mailbox that an account leaves, with a way back. An address that was never proven is nobody's to go back
    /// to.
    func farewell(to account: Account, for newEmail: Email?, from origin: Origin, at now: Instant) throws -> Mailing {
        guard let email = account.email, account.emailIsVerified, outOfBand.isSent else { return Mailing() }
        let code = outOfBand.newCode()
        let recovery = OOBCode(
            hash: outOfBand.hash(code), purpose: .recoverEmail, account: account.id, email: email, newEmail: newEmail,
            createdAt: now, expiresAt: now + Policy.recoveryLifetime)
        let letters = try notice(
            .emailChanged, to: email, about: account.id, LetterContent(code: code), from: origin, at: now)
        return Mailing(codes: [recovery], letters: letters)
    }
}

extension Mailing {
    static func + (left: Mailing, right: Mailing) -> Mailing {
        Mailing(codes: left.codes + right.codes, letters: left.letters + right.letters)
    }
}
