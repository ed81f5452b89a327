/// The answer of a blocking function: changes of the account, and claims of the session.
public struct HookReply: Hashable, Sendable {
    public var displayName: AccountUpdate.Value<String>?
    public var photoURL: AccountUpdate.Value<PhotoURL>?
    public var isDisabled: Bool?
    /// The operator's word, which tokens and look-ups repeat. It is no proof of the mailbox: with one, the owner's
    /// identity would be linked to an account that a stranger has created for the address.
    public var emailIsVerified: Bool?
    /// Whether ``emailIsVerified`` also takes away a proof, if it is `false`.
    var revokesProof = false
    public var customClaims: Claims?
    /// Only `beforeSignIn` can set them.
    public var sessionClaims: Claims?

    public init() {}
}

extension HookReply {
    /// The claims of the session; `nil` if the function set none.
    var nonEmptySessionClaims: Claims? { sessionClaims.flatMap { $0.json == "{}" ? nil : $0 } }

    /// This reply, overridden by the reply of a later function.
    func overridden(by later: HookReply) -> HookReply {
        var reply = self
        reply.displayName = later.displayName ?? displayName
        reply.photoURL = later.photoURL ?? photoURL
        reply.isDisabled = later.isDisabled ?? isDisabled
        reply.emailIsVerified = later.emailIsVerified ?? emailIsVerified
        reply.revokesProof = later.revokesProof || revokesProof
        reply.customClaims = later.customClaims ?? customClaims
        reply.sessionClaims = later.sessionClaims ?? sessionClaims
        return reply
    }

    /// The change of the account; `nil` if nothing changes.
    func update(of account: Account) -> AccountUpdate? {
        var (update, changed) = (AccountUpdate(), account)
        changed.apply(self)
        if let displayName, displayName.content != account.displayName { update.profile.displayName = displayName }
        if let photoURL, photoURL.content != account.photoURL { update.profile.photoURL = photoURL }
        if let isDisabled, isDisabled != account.isDisabled { update.isDisabled = isDisabled }
        if changed.vouchedEmail != account.vouchedEmail { update.vouchedEmail = .init(changed.vouchedEmail) }
        if changed.emailIsVerified != account.emailIsVerified { update.emailIsVerified = changed.emailIsVerified }
        if let customClaims, customClaims != account.customClaims { update.customClaims = customClaims }
        return update == AccountUpdate() ? nil : update
    }

    /// - Throws: ``HookRefusal/invalidReply(_:)`` if both kinds of claims together are longer than
    ///   ``Claims/lengthLimit``.
    func requireClaimsFit() throws(HookRefusal) {
        let lengths = [customClaims, sessionClaims].compactMap { $0?.json.unicodeScalars.count }.filter { $0 > 2 }
        // Merged into one object, two objects lose a pair of braces and gain a comma.
        guard lengths.reduce(0, +) - (lengths.count - 1) <= Claims.lengthLimit else {
            throw .invalidReply(
                "customClaims and sessionClaims must together have at most \(Claims.lengthLimit) characters.")
        }
    }
}

extension Account {
    /// Applies the changes of a blocking function.
    mutating func apply(_ reply: HookReply) {
        if let displayName = reply.displayName { self.displayName = displayName.content }
        if let photoURL = reply.photoURL { self.photoURL = photoURL.content }
        if let isDisabled = reply.isDisabled { self.isDisabled = isDisabled }
        switch reply.emailIsVerified {
        case true?: if !emailIsVerified { vouchedEmail = email }
        case false?:
            vouchedEmail = nil
            if reply.revokesProof { emailIsVerified = false }
        case nil: break
        }
        if let customClaims = reply.customClaims { self.customClaims = customClaims }
    }
}

/// The reply of the blocking functions to a sign-in that they allowed, and its effects on the transaction of the
/// sign-in.
public struct HookDecision: Hashable, Sendable {
    let reply: HookReply
    /// The account as it was read before the functions were called, from which it must not have changed; `nil` for a
    /// new account.
    public let account: Account?
    /// What the functions change; `nil` if nothing.
    public let change: HookChange?

    /// - Parameters:
    ///   - after: the account as the functions saw it.
    ///   - before: see ``account``.
    init(_ reply: HookReply, on after: Account, _ before: Account?, in realm: Realm) {
        self.reply = reply
        account = before
        change = reply.update(of: after).map { HookChange($0, of: after.id, isNew: before == nil, in: realm) }
    }
}

/// A change of the account by blocking functions, in the transaction of the sign-in.
public struct HookChange: Hashable, Sendable {
    public let update: AccountUpdate
    public let events: [AccountEvent]
    public let recording: EventRecording

    init(_ update: AccountUpdate, of account: ID<Account>, isNew: Bool, in realm: Realm) {
        self.update = update
        var events: [AccountEvent] = []
        let fields = update.fields
        if !isNew, !fields.isEmpty { events.append(AccountEvent(.accountUpdated(fields: fields), of: account)) }
        if update.isDisabled == true { events.append(AccountEvent(.accountDisabled, of: account)) }
        self.events = events
        recording = realm.recording(by: .system)
    }

    /// Whether the account is stored, but not signed in.
    public var disables: Bool { update.isDisabled == true }
}

extension Account {
    /// Whether nothing has changed that a blocking function may have judged. Sign-ins and refreshes of other sessions
    /// do not count.
    public func isUnchangedForHooks(since earlier: Account) -> Bool {
        var (now, then) = (self, earlier)
        (now.lastSignInAt, now.lastRefreshAt, now.phoneProvenAt) = (nil, nil, nil)
        (then.lastSignInAt, then.lastRefreshAt, then.phoneProvenAt) = (nil, nil, nil)
        return now == then
    }
}

/// The account has changed while the blocking functions were called. The sign-in is decided again, and the functions
/// are called again if they would see another account.
public struct ChangedDuringHooks: Error {
    public init() {}
}
