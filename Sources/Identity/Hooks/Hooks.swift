/// Calls the blocking functions of projects. During a call, no transaction is open and no connection to the database is
/// held.
public struct Hooks: Sendable {
    /// - Throws: ``HookRefusal`` if the function refuses or its answer is not valid; ``HookUnavailable``.
    public var call: @Sendable (HookRequest) async throws -> HookReply
    /// Returns a digest of what the function would see, except what differs in each call.
    public var digest: @Sendable (HookRequest) throws -> [UInt8]

    public init(
        call: @escaping @Sendable (HookRequest) async throws -> HookReply,
        digest: @escaping @Sendable (HookRequest) throws -> [UInt8]
    ) {
        self.call = call
        self.digest = digest
    }
}

extension Hooks {
    /// Calls the functions for a sign-in, outside any transaction.
    ///
    /// - Parameter before: the account as it was read; `nil` for a new one.
    /// - Returns: `nil` if no function concerns the sign-in.
    func decision(
        about hook: HookCall?, changing before: Account?, opening session: Session, at now: Instant, in realm: Realm,
        from context: RequestContext
    ) async throws -> HookDecision? {
        guard let hook else { return nil }
        let after = hook.account(session.account, isNew: before == nil, at: now)
        let reply = try await self.reply(
            to: hook.signIn, of: after, isNew: before == nil, secondFactor: session.secondFactor?.method, in: realm,
            from: context)
        return reply.map { HookDecision($0, on: after, before, in: realm) }
    }

    /// Calls the functions in their order: `beforeCreate` for a new account, then `beforeSignIn`.
    ///
    /// - Parameters:
    ///   - account: the account as the sign-in will leave it.
    ///   - isNew: whether the sign-in creates the account.
    /// - Returns: `nil` if the project has no such function.
    private func reply(
        to hooked: HookedSignIn, of account: Account, isNew: Bool, secondFactor: SessionFactor.Method?, in realm: Realm,
        from context: RequestContext
    ) async throws -> HookReply? {
        func ask(_ event: BlockingFunctions.Event, about account: Account) async throws -> HookReply? {
            guard let url = realm.project.blockingFunctions.triggers[event] else { return nil }
            let request = HookRequest(
                event, at: url, .account(account, hooked.signIn, secondFactor: secondFactor), in: realm, from: context)
            var reply = try await hooked.reply(of: event, isNew: isNew, digest: try digest(request)) {
                try await call(request)
            }
            reply.revokesProof = isNew || realm.project.modeRules.hooksRevokeVerifications
            return reply
        }
        var (account, result) = (account, HookReply?.none)
        if isNew, var reply = try await ask(.beforeCreate, about: account) {
            reply.sessionClaims = nil
            account.apply(reply)
            result = reply
        }
        if !account.isDisabled, let reply = try await ask(.beforeSignIn, about: account) {
            result = result?.overridden(by: reply) ?? reply
        }
        try result?.requireClaimsFit()
        return result
    }

    /// Calls the function that may refuse an email that an app requests. It is called for every address, so that a call
    /// does not reveal whether an account has the address.
    func requireEmailAllowed(
        to email: EmailAddress, _ purpose: OOBCode.Purpose, in realm: Realm, from context: RequestContext
    ) async throws {
        guard let url = realm.project.blockingFunctions.triggers[.beforeSendEmail] else { return }
        _ = try await call(HookRequest(.beforeSendEmail, at: url, .email(email, purpose), in: realm, from: context))
    }

    /// Calls the function that may refuse a text message.
    func requireSMSAllowed(
        to number: PhoneNumber, _ purpose: PhoneCode.Purpose, in realm: Realm, from context: RequestContext
    ) async throws {
        guard let url = realm.project.blockingFunctions.triggers[.beforeSendSms] else { return }
        _ = try await call(HookRequest(.beforeSendSms, at: url, .sms(number, purpose), in: realm, from: context))
    }
}
