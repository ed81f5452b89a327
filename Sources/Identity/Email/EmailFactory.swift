/// Creates email action codes, and emails with encrypted payloads.
public struct EmailFactory: Sendable {
    /// Returns 43 random characters of base64url: 256 bits.
    public var newCode: @Sendable () -> String
    /// Returns the SHA-256 of a code.
    public var hash: @Sendable (String) -> [UInt8]
    /// Returns a random UUID in lower case.
    public var emailID: @Sendable () -> ID<OutgoingEmail>
    /// Encrypts a payload, bound to the ID of its email.
    public var seal: @Sendable (EmailPayload, ID<OutgoingEmail>) throws -> [UInt8]
    /// Returns the URL that the links in emails open, without their query.
    public var actionBase: @Sendable (Realm, ActionLink.Mode) -> String
    /// Returns the URL that a link begins with if an app opens it; `nil` if the request names no app that is
    /// associated with the gateway's host. See ``AppLink``.
    public var appLinkBase: @Sendable (AppLink.Request, Realm) -> String?
    /// Whether the installation sends emails.
    public var sendsEmail: Bool
    /// Whether the notice of a changed address goes to the account's first address, and its link restores the first
    /// address, even if this address was never verified. Never set in production.
    public var restoresFirstAddress = false

    public init(
        newCode: @escaping @Sendable () -> String, hash: @escaping @Sendable (String) -> [UInt8],
        emailID: @escaping @Sendable () -> ID<OutgoingEmail>,
        seal: @escaping @Sendable (EmailPayload, ID<OutgoingEmail>) throws -> [UInt8],
        actionBase: @escaping @Sendable (Realm, ActionLink.Mode) -> String,
        appLinkBase: @escaping @Sendable (AppLink.Request, Realm) -> String?, sendsEmail: Bool
    ) {
        self.newCode = newCode
        self.hash = hash
        self.emailID = emailID
        self.seal = seal
        self.actionBase = actionBase
        self.appLinkBase = appLinkBase
        self.sendsEmail = sendsEmail
    }
}

extension EmailFactory {
    /// How long the delivery of a notice without removal links is retried.
    private static let noticeLifetime: Duration = .seconds(72 * 3600)

    /// Returns a notice (an email that no client requested) to the account's address; empty if there is no
    /// ``NoticeRecipient``, or the installation sends no emails.
    func notice(
        _ kind: OutgoingEmail.Kind, about account: Account, _ payload: EmailPayload = EmailPayload(), by policy: Policy,
        from context: RequestContext, at now: Instant
    ) throws -> [OutgoingEmail] {
        guard let recipient = NoticeRecipient(of: account, by: policy) else { return [] }
        return try notice(kind, to: recipient, about: account.id, payload, from: context, at: now)
    }

    /// Returns a notice to `recipient`; empty if the installation sends no emails.
    func notice(
        _ kind: OutgoingEmail.Kind, to recipient: NoticeRecipient, about account: ID<Account>?,
        _ payload: EmailPayload = EmailPayload(), from context: RequestContext, at now: Instant
    ) throws -> [OutgoingEmail] {
        guard sendsEmail else { return [] }
        // A notice with removal links is retried as long as the links work.
        let lifetime =
            payload.removals == nil && kind != .identityLinked && kind != .factorAdded
            ? Self.noticeLifetime : Policy.removalLinkLifetime
        var notice = try outgoingEmail(
            kind, to: recipient.email, about: account, payload, from: context, at: now, until: now + lifetime)
        notice.isLimitedToOnePerDay = !recipient.isProven
        return [notice]
    }

    func outgoingEmail(
        _ kind: OutgoingEmail.Kind, to recipient: EmailAddress, about account: ID<Account>?, _ payload: EmailPayload,
        from context: RequestContext, at now: Instant, until end: Instant
    ) throws -> OutgoingEmail {
        let id = emailID()
        var payload = payload
        payload.app = context.app
        var email = OutgoingEmail(
            id: id, kind: kind, account: account, recipient: recipient,
            language: context.emailLanguage ?? context.language, content: try seal(payload, id), createdAt: now,
            expiresAt: end)
        email.isLanguageRequested = context.emailLanguage != nil
        return email
    }

    /// Returns a notice to the owner about an added sign-in method; empty if there is no ``NoticeRecipient``, or the
    /// installation sends no emails. A notice to a proven address has a link that removes the method.
    func additionNotice(
        of method: AddedSignInMethod, to account: Account, by policy: Policy, from context: RequestContext
    ) throws -> EmailBatch {
        guard let recipient = NoticeRecipient(of: account, by: policy), sendsEmail else { return .none }
        let issued =
            recipient.isProven
            ? removalCode(for: method, of: account.id, sentTo: recipient.email, at: method.addedAt) : nil
        let payload = EmailPayload(code: issued?.secret, provider: method.provider)
        let emails = try notice(
            .identityLinked, to: recipient, about: account.id, payload, from: context, at: method.addedAt)
        return EmailBatch(codes: [issued?.record].compactMap(\.self), emails: emails)
    }

    /// Returns a notice to the owner about an added second factor, as ``additionNotice(of:to:by:from:)`` does.
    func factorAddedNotice(
        of factor: Factor, to account: Account, by policy: Policy, from context: RequestContext
    ) throws -> EmailBatch {
        guard let recipient = NoticeRecipient(of: account, by: policy), sendsEmail else { return .none }
        let method = AddedSignInMethod(
            provider: factor.kind.methodName, subject: factor.id.rawValue, addedAt: factor.enrolledAt)
        let issued =
            recipient.isProven
            ? removalCode(
                for: method, .revertFactorAddition, of: account.id, sentTo: recipient.email, at: method.addedAt) : nil
        let emails = try notice(
            .factorAdded, to: recipient, about: account.id,
            EmailPayload(code: issued?.secret, provider: method.provider),
            from: context, at: method.addedAt)
        return EmailBatch(codes: [issued?.record].compactMap(\.self), emails: emails)
    }

    /// Returns a notice that another account was merged into the account. A notice to a proven address has a link that
    /// removes `method`, which came with the other account, and all that came with it.
    func mergeNotice(
        to recipient: NoticeRecipient, about account: ID<Account>?, removing method: AddedSignInMethod?,
        _ methods: [ProviderID], from context: RequestContext, at now: Instant
    ) throws -> EmailBatch {
        var payload = EmailPayload(methods: methods)
        var codes: [OOBCode] = []
        if let method, let account, recipient.isProven {
            let issued = removalCode(for: method, of: account, sentTo: recipient.email, at: now)
            payload.removals = [EmailPayload.Removal(provider: method.provider, code: issued.secret)]
            codes = [issued.record]
        }
        let emails = try notice(.accountsMerged, to: recipient, about: account, payload, from: context, at: now)
        return EmailBatch(codes: codes, emails: emails)
    }

    /// Returns a notice to the owner that the new holder of the telephone number has got an account of their own with
    /// it.
    func phoneTakenNotice(
        to account: Account, by policy: Policy, from context: RequestContext, at now: Instant
    ) throws -> EmailBatch {
        EmailBatch(
            emails: try notice(
                .identityUnlinked, about: account, EmailPayload(provider: .phone), by: policy, from: context, at: now))
    }

    /// Returns a notice to the owner about a password reset, with a removal link for each of `identities`.
    ///
    /// - Parameters:
    ///   - removed: the methods that the reset has removed.
    ///   - earlier: a mailbox whose owner can take the account back.
    func resetNotice(
        to email: EmailAddress, about account: ID<Account>, withRemovalLinksFor identities: [LinkedIdentity],
        removed: [ProviderID] = [], earlier: EarlierMailbox?, from context: RequestContext, at now: Instant
    ) throws -> EmailBatch {
        guard sendsEmail else { return .none }
        let issued = identities.compactMap { identity in
            identity.linkedAt.map { linkedAt in
                let method = AddedSignInMethod(
                    provider: identity.provider, subject: identity.subject, addedAt: linkedAt)
                return (
                    provider: identity.provider,
                    code: removalCode(for: method, of: account, sentTo: email, at: now)
                )
            }
        }
        let removals = issued.map { EmailPayload.Removal(provider: $0.provider, code: $0.code.secret) }
        var payload = EmailPayload(
            removals: removals.isEmpty ? nil : removals, methods: removed.isEmpty ? nil : removed)
        payload.hasEarlierMailbox = earlier == nil ? nil : true
        let emails = try notice(.passwordChanged, to: .proven(email), about: account, payload, from: context, at: now)
        return EmailBatch(codes: issued.map(\.code.record), emails: emails)
    }

    private func removalCode(
        for method: AddedSignInMethod, _ purpose: OOBCode.Purpose = .removeSignInMethod, of account: ID<Account>,
        sentTo email: EmailAddress, at now: Instant
    ) -> IssuedCode {
        let secret = newCode()
        let record = OOBCode(
            hash: hash(secret), purpose: purpose, account: account, email: email, method: method,
            createdAt: now, expiresAt: now + Policy.removalLinkLifetime)
        return IssuedCode(secret: secret, record: record)
    }

    /// Returns a notice to the account's former address that the account no longer has this address; empty if there is
    /// no ``NoticeRecipient``, or the installation sends no emails. A notice to a proven address has a link that
    /// restores it. If ``restoresFirstAddress`` is true, the first address gets the notice with the link, proven or
    /// not.
    ///
    /// - Parameter account: the account before the change.
    func emailChangedNotice(
        to account: Account, newEmail: EmailAddress?, by policy: Policy, from context: RequestContext, at now: Instant
    ) throws -> EmailBatch {
        let firstAddress = restoresFirstAddress ? account.initialEmail ?? account.email : nil
        let recipient = firstAddress.map { .proven($0) } ?? NoticeRecipient(of: account, by: policy)
        guard let recipient, sendsEmail else { return .none }
        guard recipient.isProven else {
            return EmailBatch(
                emails: try notice(.emailChanged, to: recipient, about: account.id, from: context, at: now))
        }
        let (code, email) = (newCode(), recipient.email)
        let recovery = OOBCode(
            hash: hash(code), purpose: .recoverEmail, account: account.id, email: email, newEmail: newEmail,
            createdAt: now, expiresAt: now + Policy.recoveryLifetime)
        let emails = try notice(
            .emailChanged, to: recipient, about: account.id, EmailPayload(code: code), from: context, at: now)
        return EmailBatch(codes: [recovery], emails: emails)
    }
}

extension EmailBatch {
    static func + (left: EmailBatch, right: EmailBatch) -> EmailBatch {
        EmailBatch(codes: left.codes + right.codes, emails: left.emails + right.emails)
    }
}
