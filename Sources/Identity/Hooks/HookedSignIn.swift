internal import Synchronization

/// A request to sign in or to link for which blocking functions are called, with their replies.
///
/// If an account changes meanwhile, the request is decided again. Functions are called again only if they would see
/// another account. A new account has the same ID in each attempt.
final class HookedSignIn: Sendable {
    /// The maximum number of calls to one function per request.
    private static let callLimit = 2

    let signIn: HookSignIn

    private struct Call: Hashable {
        let event: BlockingFunctions.Event
        let isNew: Bool
        /// The digest of what the function sees.
        let digest: [UInt8]
    }

    private struct Memory {
        var newAccount: (id: ID<Account>, createdAt: Instant)?
        var calls: [BlockingFunctions.Event: Int] = [:]
        var replies: [Call: HookReply] = [:]
    }

    // Protects what the attempts of the request share.
    private let memory = Mutex(Memory())

    /// - Returns: `nil` if the project has no function that concerns sign-ins, which then costs nothing.
    init?(in realm: Realm, _ signIn: @autoclosure () -> HookSignIn) {
        guard realm.project.blockingFunctions.concernSignIns else { return nil }
        self.signIn = signIn()
    }

    /// The ID and the creation time that a new account has in every attempt.
    func newAccount(_ id: ID<Account>, createdAt: Instant) -> (id: ID<Account>, createdAt: Instant) {
        memory.withLock { memory in
            if let known = memory.newAccount { return known }
            memory.newAccount = (id, createdAt)
            return (id, createdAt)
        }
    }

    /// Returns the reply to an equal call of an earlier attempt; otherwise calls the function.
    ///
    /// - Parameter digest: of what the function sees.
    func reply(
        of event: BlockingFunctions.Event, isNew: Bool, digest: [UInt8], _ ask: () async throws -> HookReply
    ) async throws -> HookReply {
        let call = Call(event: event, isNew: isNew, digest: digest)
        let known = try memory.withLock { memory in
            if let reply = memory.replies[call] { return HookReply?.some(reply) }
            let calls = memory.calls[event, default: 0]
            guard calls < Self.callLimit else {
                throw HookUnavailable(reason: "the account changed again during the second call")
            }
            memory.calls[event] = calls + 1
            return nil
        }
        if let known { return known }
        let reply = try await ask()
        memory.withLock { $0.replies[call] = reply }
        return reply
    }
}

/// The call of the blocking functions for one attempt of a ``HookedSignIn``. Without one, the initializers return
/// `nil`.
struct HookCall: Sendable {
    let signIn: HookedSignIn
    /// Returns the account as the commit will leave it.
    private let account: @Sendable (_ id: ID<Account>, _ createdAt: Instant) -> Account

    init?(_ hooked: HookedSignIn?, about account: @autoclosure () -> Account) {
        guard let hooked else { return nil }
        let account = account()
        self.init(hooked) { _, _ in account }
    }

    /// - Parameter account: returns the account that the sign-in creates.
    init?(_ hooked: HookedSignIn?, creating account: @escaping @Sendable (ID<Account>, Instant) -> Account) {
        guard let hooked else { return nil }
        signIn = hooked
        self.account = account
    }

    /// The account as the functions see it.
    ///
    /// - Parameters:
    ///   - id: of the account.
    ///   - now: when the attempt began.
    func account(_ id: ID<Account>, isNew: Bool, at now: Instant) -> Account {
        guard isNew else { return account(id, now) }
        let new = signIn.newAccount(id, createdAt: now)
        return account(new.id, new.createdAt)
    }
}

extension HookSignIn {
    init(_ identity: VerifiedIdentity, _ tokens: ProviderTokens?) {
        self.init(method: identity.provider.rawValue, rawUserInfo: identity.rawUserInfo, tokens: tokens)
    }
}

extension HookCall {
    init?(_ hooked: HookedSignIn?, about change: SignInChange, with identity: VerifiedIdentity) {
        guard let hooked else { return nil }
        let linked = LinkedIdentity(identity)
        switch change {
        case .create(let copiesEmail):
            self.init(hooked) { id, now in Account(id, for: linked, copiesEmail: copiesEmail, at: now) }
        case .createInPlaceOf: self.init(hooked) { id, now in Account(id, for: linked, copiesEmail: true, at: now) }
        case .signIn(let account): self.init(hooked, about: account)
        case .signInChangingEmail(var account, let email):
            (account.email, account.emailIsVerified) = (email, true)
            self.init(hooked, about: account)
        case .link(var account, _, let copiesEmail):
            account.identities.append(linked)
            if account.email == nil, copiesEmail { account.email = linked.email }
            account.emailIsVerified =
                account.email != nil
                && (account.emailIsVerified
                    || linked.emailTrust == .authoritative && account.email == linked.email)
            account.displayName = account.displayName ?? linked.profile.displayName
            account.photoURL = account.photoURL ?? linked.profile.photoURL
            self.init(hooked, about: account)
        case .reclaim(var account):
            (account.identities, account.passkeys, account.secondFactors) = ([linked], [], .none)
            (account.phoneNumber, account.passwordUpdatedAt) = (nil, nil)
            (account.displayName, account.photoURL) = (linked.profile.displayName, linked.profile.photoURL)
            (account.emailIsVerified, account.vouchedEmail) = (true, nil)
            self.init(hooked, about: account)
        }
    }
}
