/// The replies of the blocking functions to a sign-in, and their effects.
struct HookDecision {
    let reply: HookReply
    let effects: HookEffects

    /// - Parameters:
    ///   - after: the account as the functions saw it.
    ///   - before: the account as it was read; `nil` for a new one.
    init(_ reply: HookReply, on after: Account, _ before: Account?, in realm: Realm) {
        self.reply = reply
        let change = reply.update(of: after).map { HookChange($0, of: after.id, isNew: before == nil, in: realm) }
        effects = HookEffects(on: before, change)
    }
}

extension Hooks {
    /// Calls the blocking functions of the project for a sign-in, outside any transaction.
    ///
    /// - Returns: `nil` if no function concerns the sign-in.
    func decision(
        about factor: FirstFactor, of account: ID<Account>, at now: Instant, in realm: Realm,
        from context: RequestContext
    ) async throws -> HookDecision? {
        guard let hook = factor.hook else { return nil }
        let before: Account? = if case .existing(let account, _) = factor.account { account } else { nil }
        let after = hook.account(account, isNew: before == nil, at: now)
        return try await reply(
            to: hook.asked, of: after, isNew: before == nil,
            secondFactor: factor.secondFactorUse?.sessionFactor.method, in: realm, from: context
        ).map { HookDecision($0, on: after, before, in: realm) }
    }

    /// Calls the blocking functions for a change by the caller.
    func decision(
        about change: CallerChange, opening session: Session, at now: Instant, in realm: Realm,
        from context: RequestContext
    ) async throws -> HookDecision? {
        guard let hook = change.hook else { return nil }
        let before = change.caller.account
        let after = hook.account(before.id, isNew: false, at: now)
        return try await reply(
            to: hook.asked, of: after, isNew: false, secondFactor: session.secondFactor?.method, in: realm,
            from: context
        ).map { HookDecision($0, on: after, before, in: realm) }
    }
    /// Calls the blocking functions for a user who continues with the session of a browser.
    func decision(
        about proven: ProvenSignIn, _ asked: HookedSignIn?, at now: Instant, in realm: Realm,
        from context: RequestContext
    ) async throws -> HookDecision? {
        guard let asked else { return nil }
        return try await reply(
            to: asked, of: proven.account, isNew: false, secondFactor: proven.session.secondFactor?.method, in: realm,
            from: context
        ).map { HookDecision($0, on: proven.account, proven.account, in: realm) }
    }
}
