/// Issues codes to telephone numbers, and checks them.
///
/// Throws ``PhoneRefusal`` and ``TooManyAttempts``.
public struct PhoneCodes: Sendable {
    private let store: any PhoneCodeStore
    private let secrets: PhoneCodeSecrets
    private let limiter: RateLimiter
    /// The host of the gateway for the last line of a message, by which browsers and iOS fill in the code.
    private let host: @Sendable (Realm) -> String
    private let clock: WallClock
    private let hooks: Hooks
    private let count: @Sendable (PhoneCodeEvent) -> Void

    public init(
        store: any PhoneCodeStore, secrets: PhoneCodeSecrets, limiter: RateLimiter,
        host: @escaping @Sendable (Realm) -> String, clock: WallClock, hooks: Hooks,
        count: @escaping @Sendable (PhoneCodeEvent) -> Void
    ) {
        self.store = store
        self.secrets = secrets
        self.limiter = limiter
        self.host = host
        self.clock = clock
        self.hooks = hooks
        self.count = count
    }

    /// Reads a number as a user has entered it.
    func number(_ text: String?, in realm: Realm) throws(PhoneRefusal) -> PhoneNumber {
        let rules = realm.project.modeRules
        guard let number = PhoneNumber(entered: text, acceptsTestNumbers: rules.listsPhoneCodes) else {
            throw .invalidNumber
        }
        return number
    }

    /// Sends a code to `number`. Checks no account: the work is the same for every number.
    ///
    /// - Parameters:
    ///   - account: the account of a second factor; `nil` for a sign-in.
    ///   - language: the language of the account; `nil` if the account is not known or has chosen none.
    /// - Returns: the wire's `sessionInfo`, which the client sends back with the code.
    func send(
        to number: PhoneNumber, for purpose: PhoneCode.Purpose, of account: PhoneCode.AccountBinding? = nil,
        in language: Language?, requestedBy requester: PhoneCode.Requester = .anyone, in realm: Realm,
        from context: RequestContext
    ) async throws -> String {
        do {
            let sessionInfo = try await issue(
                to: number, for: purpose, of: account, in: language, requestedBy: requester, in: realm, from: context)
            count(.issued)
            return sessionInfo
        } catch let refusal as TooManyAttempts {
            count(.limited)
            throw refusal
        } catch let refusal as PhoneRefusal where refusal == .regionNotAllowed {
            count(.limited)
            throw refusal
        } catch let quota as SMSQuota {
            count(quota == .paused ? .paused : .overBudget)
            throw PhoneRefusal.quotaExceeded
        }
    }

    private func issue(
        to number: PhoneNumber, for purpose: PhoneCode.Purpose, of account: PhoneCode.AccountBinding?,
        in language: Language?, requestedBy requester: PhoneCode.Requester, in realm: Realm,
        from context: RequestContext
    ) async throws -> String {
        let settings = realm.project.sms
        let listsCodes = realm.project.modeRules.listsPhoneCodes
        // A number can become a test number after its enrolment. As second factor, it keeps random codes.
        let testCode = listsCodes || purpose == .signIn ? settings.testCode(of: number) : nil
        let isSent = !listsCodes && testCode == nil
        var callingCode = CallingCodes.prefix(of: number) ?? ""
        if isSent {
            guard settings.url != nil else { throw PhoneRefusal.noSender }
            guard let prefix = settings.allowedPrefix(of: number) else { throw PhoneRefusal.regionNotAllowed }
            callingCode = prefix
        }
        try limiter.countPhoneCode(
            to: number, for: purpose, of: account?.account, requestedBy: requester, from: context.network, in: realm)
        try await hooks.requireSMSAllowed(to: number, purpose, in: realm, from: context)
        let (now, sessionInfo) = (clock.now(), secrets.newSessionInfo())
        let code = testCode ?? secrets.newCode()
        let binding = PhoneCode.Binding(
            hash: secrets.hash(sessionInfo), realm: realm.id, purpose: purpose, number: number, account: account)
        let issued = PhoneCode(
            binding: binding, codeHash: secrets.codeHashes(code, binding)[0], project: realm.project.id,
            callingCode: callingCode, createdAt: now, expiresAt: now + PhoneCode.lifetime)
        let message = isSent ? try message(code, issued, in: language, of: realm, from: context) : nil
        let budget = SMSBudget(of: purpose, toCallingCode: callingCode, in: realm)
        try await store.issue(issued, sending: message, within: isSent ? budget : nil)
        secrets.didIssue(code, sessionInfo, issued)
        return sessionInfo
    }

    private func message(
        _ code: String, _ issued: PhoneCode, in accountLanguage: Language?, of realm: Realm,
        from context: RequestContext
    ) throws -> OutgoingSMS {
        // As for emails.
        let language =
            context.emailLanguage ?? accountLanguage ?? context.language ?? realm.project.emailSettings.language
        let content = SMSContent(
            phoneNumber: issued.binding.number.rawValue, text: SMSText.text(code, language, host: host(realm)),
            code: code, locale: language.rawValue, purpose: issued.binding.purpose.rawValue,
            projectId: realm.project.id.rawValue, tenantId: realm.tenant?.id.rawValue, appId: context.app?.rawValue,
            expiresAt: issued.expiresAt)
        let id = secrets.newMessageID()
        return OutgoingSMS(
            id: id, content: try secrets.seal(content, id), account: issued.binding.account?.account,
            isIdempotent: realm.project.sms.format == .webhook, createdAt: issued.createdAt)
    }

    /// Checks a code. The commit consumes a right one; a wrong one stays usable until the attempts are used up.
    ///
    /// - Parameter isBound: whether the code is bound to the right account (default: to none).
    func check(
        _ code: Secret?, of sessionInfo: String?, for purpose: PhoneCode.Purpose,
        boundTo isBound: (PhoneCode.AccountBinding?) -> Bool = { $0 == nil }, in realm: Realm,
        from network: ClientNetwork
    ) async throws -> PhoneProof {
        guard let sessionInfo, !sessionInfo.isEmpty else { throw PhoneRefusal.missingSessionInfo }
        guard let code, !code.isEmpty else { throw PhoneRefusal.missingCode }
        let hash = secrets.hash(sessionInfo)
        let attempt = try await store.countAttempt(hash, for: purpose, at: clock.now(), in: realm.id)
        switch attempt {
        case .unknown: throw PhoneRefusal.invalidSessionInfo
        case .expired: throw PhoneRefusal.sessionExpired
        case .exhausted: throw TooManyAttempts(retryAfter: PhoneCode.lifetime)
        case .counted(let stored):
            guard isBound(stored.binding.account) else { throw PhoneRefusal.invalidSessionInfo }
            let number = stored.binding.number
            try limiter.requirePhoneCodeAttemptAllowed(on: number, for: purpose, from: network, in: realm)
            let hashes = secrets.codeHashes(code.expose(), stored.binding)
            guard hashes.contains(where: { secrets.areEqual($0, stored.codeHash) }) else {
                try limiter.countWrongPhoneCode(of: number, for: purpose, from: network, in: realm)
                count(.wrong)
                throw PhoneRefusal.invalidCode
            }
            count(.confirmed)
            return PhoneProof(number: number, consumed: .code(hash), factor: stored.binding.account?.factor)
        }
    }
}

/// What happened to a code. The raw value is the label `event` of `sekisho_phone_codes_total`.
public enum PhoneCodeEvent: String, Sendable, CaseIterable {
    case issued
    /// A rate limit or the list of calling codes rejected the request.
    case limited
    case overBudget = "over_budget"
    /// The calling code is paused, because too few of its last codes were confirmed.
    case paused
    case confirmed
    case wrong
}
