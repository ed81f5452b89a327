extension AppTransaction {
    /// The events about an account that was used with the transaction; `nil` if there is none.
    public func rescission(of account: ID<Account>?, effect: RescissionEffect) -> [AccountEvent] {
        let change = AccountEvent.Change.ageConsentRescinded(bundleID: bundleID, transactionID: id)
        guard let account else { return [AccountEvent(change, of: ID(""))] }
        let changes: [AccountEvent.Change] =
            [change, .sessionRevoked(nil)] + (effect == .disableAccount ? [.accountDisabled] : [])
        return changes.map { AccountEvent($0, of: account) }
    }
}

extension AccountEvent {
    /// The events about identities that a change has removed from an account. The store asks for them, because only the
    /// statement that removes the identities returns which ones the account had.
    public static func unlinking(_ providers: [ProviderID], from account: ID<Account>) -> [AccountEvent] {
        providers.map { AccountEvent(.identityUnlinked($0), of: account) }
    }

    /// The event about a second factor that a change has added to an account.
    public static func adding(_ kind: Factor.Kind, _ factor: ID<Factor>, to account: ID<Account>) -> AccountEvent {
        AccountEvent(.factorAdded(kind, factor), of: account)
    }

    /// The events about second factors that a change has removed from an account; see ``unlinking(_:from:)``.
    public static func removing(
        _ factors: [(kind: Factor.Kind, id: ID<Factor>)], from account: ID<Account>
    ) -> [AccountEvent] {
        factors.map { AccountEvent(.factorRemoved($0.kind, $0.id), of: account) }
    }

    /// The events about passkeys that a change has removed from an account; see ``unlinking(_:from:)``.
    public static func removing(_ passkeys: [ID<Passkey>], from account: ID<Account>) -> [AccountEvent] {
        passkeys.map { AccountEvent(.passkeyRemoved($0), of: account) }
    }
}
