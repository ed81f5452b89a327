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
        return [
            try letter(
                kind, to: email, about: account, content, from: origin, at: now, until: now + Self.noticeLifetime)
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
