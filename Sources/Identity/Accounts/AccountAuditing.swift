extension AuditNote {
    /// Audited changes of accounts. The audit trail contains neither sign-ins nor display names.
    public enum AccountAction: String, Sendable {
        case created = "account.created"
        case updated = "account.updated"
        case deleted = "account.deleted"
        /// An import replaced the account.
        case overwritten = "account.overwritten"
        case reclaimed = "account.reclaimed"
        case merged = "account.merged"
        case mergeUndone = "account.merge-undone"
        case emailChanged = "email.changed"
        case emailVerified = "email.verified"
        case emailDisavowed = "email.disavowed"
        case passwordSet = "password.set"
        case passwordRemoved = "password.removed"
        case identityLinked = "identity.linked"
        case identityUnlinked = "identity.unlinked"
        /// It moved to another Apple developer team with its app.
        case identityTransferred = "identity.transferred"
        /// The user stopped using the provider for the app. The identity stays linked.
        case identityRevoked = "identity.revoked"
        /// The user revoked tokens at the provider (`revokeToken`).
        case tokensRevoked = "tokens.revoked"
        /// A relay stopped or resumed forwarding email.
        case forwardingChanged = "email.forwarding-changed"
        /// The account has no sign-in method left.
        case signInMethodMissing = "account.sign-in-method-missing"
        case sessionEnded = "session.ended"
        case sessionsEnded = "sessions.ended"
        /// A code was emailed, or returned to a backend.
        case codeIssued = "code.issued"
        case sessionCookieCreated = "sessionCookie.created"
    }

    private static let imported = "accounts.imported"

    public init(_ action: AccountAction, _ account: ID<Account>, _ detail: [String: String] = [:]) {
        self.init(action.rawValue, account.rawValue, detail)
    }

    public init(_ action: AccountAction, _ account: ID<Account>, _ provider: ProviderID) {
        self.init(action, account, ["provider": provider.rawValue])
    }

    /// The maximum number of IDs in one event. The event also has their total number.
    public static let idLimit = 100

    /// An import is one event of the project, and one more for each account that it replaced.
    public static func imported(
        _ accounts: [ID<Account>], overwriting known: [ID<Account>] = [], in realm: ID<Realm>
    ) -> [AuditNote] {
        let detail = [
            "count": String(accounts.count),
            "accounts": accounts.prefix(idLimit).map(\.rawValue).joined(separator: " "),
        ]
        return [AuditNote(imported, realm.rawValue, detail)] + known.map { AuditNote(.overwritten, $0) }
    }
}

extension MailboxChange {
    /// The audit events for this change, except unlinked identities, which are known only after the SQL runs.
    public var notes: [AuditNote] {
        var notes: [AuditNote] = []
        switch event {
        case .reclaimed: notes.append(AuditNote(.reclaimed, account.id))
        case .disavowed: notes.append(AuditNote(.emailDisavowed, account.id))
        case nil:
            if email != account.email {
                notes.append(AuditNote(.emailChanged, account.id))
            } else if email != nil, !account.emailIsVerified {
                notes.append(AuditNote(.emailVerified, account.id))
            }
        }
        return account.notes(notes, for: update, endsSessions: endsSessions)
    }
}

extension OwnerChange {
    /// The audit events for this change of `account`, except unlinked identities.
    func notes(about account: Account) -> [AuditNote] {
        let notes = update.email == nil ? [] : [AuditNote(.emailChanged, account.id)]
        return account.notes(notes, for: update, endsSessions: replacement != nil)
    }
}

extension Account {
    fileprivate func notes(_ notes: [AuditNote], for update: AccountUpdate, endsSessions: Bool) -> [AuditNote] {
        var notes = notes
        switch update.passwordHash {
        case .set: notes.append(AuditNote(.passwordSet, id))
        case .remove where hasPassword: notes.append(AuditNote(.passwordRemoved, id))
        case .remove, nil: break
        }
        return notes.isEmpty && endsSessions ? [AuditNote(.sessionsEnded, id)] : notes
    }
}
