/// An administrator's change of the identities of accounts.
public enum IdentityChange: Hashable, Sendable {
    case link(LinkedIdentity, to: ID<Account>)
    /// - Parameter allowsNoSignInMethod: confirms that the account may lose its last sign-in method.
    case unlink(ProviderID, from: ID<Account>, allowsNoSignInMethod: Bool)
    /// - Parameter allowsNoSignInMethod: as for ``unlink(_:from:allowsNoSignInMethod:)``, for the account `from`.
    case move(ProviderID, from: ID<Account>, to: ID<Account>, allowsNoSignInMethod: Bool)

    /// The account that loses the identity, and the account that gets it.
    public var accounts: (from: ID<Account>?, to: ID<Account>?) {
        switch self {
        case .link(_, let account): (nil, account)
        case .unlink(_, let account, _): (account, nil)
        case .move(_, let source, let target, _): (source, target)
        }
    }

    public var events: [AccountEvent] {
        switch self {
        case .link(let identity, let account): [AccountEvent(.identityLinked(identity.provider), of: account)]
        case .unlink(let provider, let account, _): [AccountEvent(.identityUnlinked(provider), of: account)]
        case .move(let provider, let source, let target, _):
            [AccountEvent(.identityMoved(provider, source: source), of: target)]
        }
    }
}

/// An identity with the time at which it was linked to the account.
public struct DatedIdentity: Hashable, Sendable {
    public let identity: LinkedIdentity
    public let account: ID<Account>
    public let linkedAt: Instant

    public init(identity: LinkedIdentity, account: ID<Account>, linkedAt: Instant) {
        self.identity = identity
        self.account = account
        self.linkedAt = linkedAt
    }

    /// - Returns: `nil` if `identity` is not stored yet, and therefore has no ``LinkedIdentity/linkedAt``.
    public init?(_ identity: LinkedIdentity, of account: ID<Account>) {
        guard let linkedAt = identity.linkedAt else { return nil }
        self.init(identity: identity, account: account, linkedAt: linkedAt)
    }
}

/// Why identities were not changed.
public enum IdentityRefusal: Refusal, Hashable {
    case accountUnknown
    /// Another account has the identity.
    case identityTaken
    /// The receiving account already has an identity of that provider, perhaps the same one.
    case providerAlreadyLinked
    /// The account has no identity of that provider.
    case notLinked
    /// The account would lose its last sign-in method, and the request does not confirm it.
    case lastSignInMethod
}

extension IdentityRefusal {
    public var code: ErrorCode {
        switch self {
        case .accountUnknown: .userNotFound
        case .identityTaken: .federatedUserIDAlreadyLinked
        case .providerAlreadyLinked: .providerAlreadyLinked
        case .notLinked: .identityNotFound
        case .lastSignInMethod: .lastSignInMethod
        }
    }

    public var detail: String? {
        switch self {
        case .accountUnknown, .identityTaken, .providerAlreadyLinked: nil
        case .notLinked: "The account has no identity of this provider."
        case .lastSignInMethod: EditRefusal.lastSignInMethod.detail
        }
    }
}

extension Account {
    /// The account after an administrator has linked `identity`.
    ///
    /// - Parameter owner: the account that already has the identity, if there is one.
    public func linking(_ identity: LinkedIdentity, ownedBy owner: ID<Account>?) throws(IdentityRefusal) -> Account {
        guard owner == nil || owner == id else { throw .identityTaken }
        guard self.identity(of: identity.provider) == nil else { throw .providerAlreadyLinked }
        var account = self
        (account.email, account.emailIsVerified) = primaryEmail(with: identity)
        account.identities.append(identity)
        return account
    }

    /// The account after an administrator has unlinked its identity of `provider`, and that identity.
    ///
    /// - Parameter linkOnly: identities of these providers do not count as sign-in methods.
    public func unlinking(
        _ provider: ProviderID, allowsNoSignInMethod: Bool, ignoring linkOnly: Set<ProviderID>
    ) throws(IdentityRefusal) -> (remaining: Account, identity: LinkedIdentity) {
        guard let identity = self.identity(of: provider) else { throw .notLinked }
        var account = self
        (account.email, account.emailIsVerified) = primaryEmail(without: [provider])
        account.identities.removeAll { $0.provider == provider }
        guard allowsNoSignInMethod || account.hasSignInMethod(ignoring: linkOnly) else {
            throw .lastSignInMethod
        }
        return (account, identity)
    }
}
