/// Remedies: emailed codes that undo what an attacker may have done. The owner of the mailbox does not have to be
/// signed in.
extension OOBCodeRedeemer {
    /// Restores the former address. Removes the identities and the password that were added after the address was
    /// replaced.
    ///
    /// - Parameter selection: what the user did not add either.
    public func recover(
        _ code: String?, removing selection: MethodSelection, in realm: Realm, from context: RequestContext
    ) async throws -> RemedyResult {
        let secret = emailFactory.newCode()
        let result = try await redeem(code, for: [.recoverEmail], in: realm, from: context) { account, found, now in
            let change = try await recovery(of: account, by: found.code, removing: selection, in: realm)
            return (.change(change), EmailBatch(codes: resetCode(secret, after: change, in: realm, at: now)))
        }
        return RemedyResult(result, secret)
    }

    /// Redeems a code that verifies or changes an address, and removes the sign-in methods that the user did not add.
    ///
    /// - Parameter selection: what the user did not add. If something is removed, the user sets a new password next.
    public func confirm(
        _ code: String?, removing selection: MethodSelection, in realm: Realm, from context: RequestContext
    ) async throws -> RemedyResult {
        let secret = emailFactory.newCode()
        let result = try await redeem(code, for: [.verifyEmail, .changeEmail], in: realm, from: context) {
            account, found, now in
            var (change, emailBatch) = try confirmation(
                of: account, by: found.code, removing: selection, in: realm, from: context, at: now)
            if change.removesSelection {
                emailBatch.codes += resetCode(secret, after: change, in: realm, at: now)
            }
            return (.change(change), emailBatch)
        }
        return RemedyResult(result, secret)
    }

    /// Redeems a code that verifies or changes an address, but creates a new account with the address, because the
    /// owner of another mailbox could take the code's account back; see ``EarlierMailbox``. The user sets a password
    /// next. If the code's account has the address, it loses it.
    public func createAccount(
        _ code: String?, in realm: Realm, from context: RequestContext
    ) async throws -> RemedyResult {
        let secret = emailFactory.newCode()
        let result = try await redeem(code, for: [.verifyEmail, .changeEmail], in: realm, from: context) {
            account, found, now in
            guard found.newAccountChoice.createsAccount(isChosen: true) else { throw OOBCodeRefusal.invalid }
            guard realm.policy.allowsSignUp else { throw OOBCodeRefusal.notAllowed }
            let email = found.code.newEmail ?? found.code.email
            var new = StoredAccount(new: entropy.accountID(), email: email, at: now)
            new.account.emailIsVerified = true
            let codes = resetCode(secret, of: new.account.id, generation: 1, email, in: realm, at: now)
            return (.create(new, inPlaceOf: account.email == email ? account : nil), EmailBatch(codes: codes))
        }
        return RemedyResult(result, secret)
    }

    /// The change by a code that verifies or changes an address, and the notice to the former address.
    func confirmation(
        of account: Account, by code: OOBCode, removing selection: MethodSelection, in realm: Realm,
        from context: RequestContext, at now: Instant
    ) throws -> (MailboxChange, EmailBatch) {
        guard code.purpose == .changeEmail else { return (.verifying(account, removing: selection), .none) }
        let email = code.newEmail ?? code.email
        let change = MailboxChange.changing(account, to: email, removing: selection)
        guard email != account.email else { return (change, .none) }
        return (
            change,
            try emailFactory.emailChangedNotice(
                to: account, newEmail: email, by: realm.policy, from: context, at: now)
        )
    }

    /// Removes a sign-in method or a second factor, and the factors, identities and password that were added at the
    /// same time or later. Restores the address that the code was sent to. If another account keeps that address, the
    /// code's account has no address and no password afterwards. Ends every session.
    public func removeSignInMethod(
        _ code: String?, in realm: Realm, from context: RequestContext
    ) async throws -> RemedyResult {
        let secret = emailFactory.newCode()
        let result = try await redeem(code, for: OOBCode.Purpose.removals, in: realm, from: context) {
            account, found, now in
            let change = try await removal(from: account, by: found.code, in: realm)
            return (.change(change), EmailBatch(codes: resetCode(secret, after: change, in: realm, at: now)))
        }
        return RemedyResult(result, secret)
    }

    func removal(from account: Account, by code: OOBCode, in realm: Realm) async throws -> MailboxChange {
        guard let method = code.method else { throw OOBCodeRefusal.invalid }
        let otherHolder = try await otherHolder(of: code.email, than: account, in: realm)
        return .removing(method, from: account, by: code, otherHolder: otherHolder)
    }

    func recovery(
        of account: Account, by code: OOBCode, removing selection: MethodSelection, in realm: Realm
    ) async throws -> MailboxChange {
        .recovering(
            account, by: code, removing: selection,
            from: try await otherHolder(of: code.email, than: account, in: realm))
    }

    /// - Returns: the account that has the address now; `nil` if that is `account` itself, or if there is none.
    private func otherHolder(of email: EmailAddress, than account: Account, in realm: Realm) async throws
        -> Account?
    {
        let holder = try await store.holder(of: email, in: realm.id)?.account
        return holder?.id == account.id ? nil : holder
    }

    /// Returns the code that sets a password after a remedy; none if the account has no address, or the project does
    /// not allow passwords.
    private func resetCode(
        _ secret: String, after change: MailboxChange, in realm: Realm, at now: Instant
    ) -> [OOBCode] {
        change.email.map {
            resetCode(secret, of: change.account.id, generation: change.generation, $0, in: realm, at: now)
        } ?? []
    }

    private func resetCode(
        _ secret: String, of account: ID<Account>, generation: Int64, _ email: EmailAddress, in realm: Realm,
        at now: Instant
    ) -> [OOBCode] {
        guard realm.policy.allowsPasswords else { return [] }
        return [
            OOBCode(
                hash: emailFactory.hash(secret), purpose: .resetPassword, account: account, generation: generation,
                email: email, createdAt: now,
                expiresAt: now + realm.policy.resetLifetime)
        ]
    }
}

extension OOBCode.Purpose {
    /// The purposes of codes that remove what was added to an account.
    fileprivate static let removals: Set<OOBCode.Purpose> = [.removeSignInMethod, .revertFactorAddition]
}

/// The result of a remedy.
public struct RemedyResult: Hashable, Sendable {
    /// The account after the change.
    public let account: Account
    /// The code with which the owner sets a new password; `nil` if the account cannot have a password.
    public let resetCode: IssuedCode?

    public init(account: Account, resetCode: IssuedCode?) {
        self.account = account
        self.resetCode = resetCode
    }

    fileprivate init(_ result: OOBCodeRedeemer.RedemptionResult, _ secret: String) {
        account = result.account
        resetCode = result.redemption.emailBatch.codes.first { $0.purpose == .resetPassword }
            .map { IssuedCode(secret: secret, record: $0) }
    }
}

/// The record of a code, with the secret, which is not stored.
public struct IssuedCode: Hashable, Sendable {
    public let secret: String
    public let record: OOBCode
}
