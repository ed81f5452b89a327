/// The emails about changes of an account by its owner.
extension AccountEditor {
    /// The notices to the owner, sent to the address that the account had before the change.
    func notices(
        of change: OwnerChange, to account: Account, by policy: Policy, from context: RequestContext
    ) throws -> EmailBatch {
        let now = change.changedAt
        var emailBatch = EmailBatch.none
        let email = change.address(of: account)
        if email != account.email {
            emailBatch = try emailFactory.emailChangedNotice(
                to: account, newEmail: email, by: policy, from: context, at: now)
        }
        if account.hasPassword, change.update.passwordHash != nil {
            emailBatch.emails += try emailFactory.notice(
                .passwordChanged, about: account, by: policy, from: context, at: now)
        } else if case .set = change.update.passwordHash {
            let method = AddedSignInMethod(provider: .password, subject: nil, addedAt: now)
            emailBatch =
                emailBatch + (try emailFactory.additionNotice(of: method, to: account, by: policy, from: context))
        }
        for identity in account.identities where change.unlinked.contains(identity.provider) {
            emailBatch.emails += try emailFactory.notice(
                .identityUnlinked, about: account, EmailPayload(provider: identity.provider), by: policy, from: context,
                at: now)
        }
        if account.passkeys.contains(where: { change.removedPasskeys.contains($0.id) }) {
            emailBatch.emails += try emailFactory.notice(
                .identityUnlinked, about: account, EmailPayload(provider: .passkey), by: policy, from: context,
                at: now)
        }
        if account.phoneNumber != nil, change.update.phoneNumber == .remove {
            emailBatch.emails += try emailFactory.notice(
                .identityUnlinked, about: account, EmailPayload(provider: .phone), by: policy, from: context, at: now)
        }
        return emailBatch
    }
}

extension OwnerChange {
    /// The address of `account` after the change. The update comes before the unlinking, as in the store: if the
    /// account has a password after the update, it keeps its address when an identity is unlinked.
    fileprivate func address(of account: Account) -> EmailAddress? {
        var updated = account
        if let email = update.email { updated.email = email.content }
        if let passwordHash = update.passwordHash {
            updated.passwordUpdatedAt = passwordHash == .remove ? nil : changedAt
        }
        return updated.primaryEmail(without: unlinked).email
    }
}
