/// What is known when somebody brings a proven identity.
public struct LinkingFacts: Hashable, Sendable {
    public var identity: VerifiedIdentity
    /// Whose identity it is already.
    public var owner: Account?
    /// Who holds the identity's address.
    public var sameEmail: Account?
    /// Who is signed in, and so asks for the identity to be linked.
    public var caller: Account?
    /// `false` for a re-authentication: only an identity that is linked already will do.
    public var mayEnter: Bool
    public var policy: Policy

    public init(
        identity: VerifiedIdentity, owner: Account? = nil, sameEmail: Account? = nil, caller: Account? = nil,
        mayEnter: Bool = true, policy: Policy
    ) {
        self.identity = identity
        self.owner = owner
        self.sameEmail = sameEmail
        self.caller = caller
        self.mayEnter = mayEnter
        self.policy = policy
    }
}

/// Who gets signed in, linked, reclaimed, asked or created.
public enum LinkingDecision: Hashable, Sendable {
    /// The identity is this account's.
    case signIn(Account)
    /// The identity becomes this account's: the caller's own, or the one that holds the same proven address.
    ///
    /// - Parameter takesEmail: an account without an address gets the identity's, because no other account holds it.
    case link(to: Account, takesEmail: Bool)
    /// Whoever made this account never proved the address. It goes to whom the provider vouches for, and nothing by
    /// which its maker could come back stays: no password, no identity, no session.
    case reclaim(Account)
    /// This account holds the address, and only its owner can say whether the identity is theirs.
    ///
    /// - Parameter isRecycled: the account has another identity of the same provider, and its address is not just claimed.
    case confirm(Account, isRecycled: Bool)
    case create
    case refuse(LinkRefusal)

    /// An e-mail never chooses the account of a returning identity.
    public init(_ facts: LinkingFacts) {
        if let caller = facts.caller {
            self.init(facts, caller: caller)
        } else if let owner = facts.owner {
            self = owner.isDisabled ? .refuse(.accountDisabled) : .signIn(owner)
        } else if !facts.mayEnter {
            self = .refuse(.accountUnknown)
        } else if let other = facts.sameEmail, !facts.policy.allowsDuplicateEmails {
            self.init(facts.identity, meeting: other)
        } else {
            self = .create
        }
    }

    private init(_ facts: LinkingFacts, caller: Account) {
        self =
            if let owner = facts.owner {
                owner.id == caller.id ? .signIn(caller) : .refuse(.identityTaken)
            } else if caller.identities.contains(where: { $0.provider == facts.identity.provider }) {
                .refuse(.providerAlreadyLinked)
            } else if let other = facts.sameEmail, other.id != caller.id, !facts.policy.allowsDuplicateEmails {
                .refuse(.emailTaken)
            } else {
                .link(to: caller, takesEmail: facts.sameEmail == nil || facts.sameEmail?.id == caller.id)
            }
    }

    private init(_ identity: VerifiedIdentity, meeting other: Account) {
        let vouching = other.identities.filter { $0.email == identity.email && $0.emailTrust >= .verified }
        // Anybody can type an address in and link an identity of any provider: that alone keeps its owner from nothing.
        let isRecycled = (other.emailIsVerified ? other.identities : vouching).contains {
            $0.provider == identity.provider
        }
        self =
            if isRecycled || identity.emailTrust < .authoritative {
                .confirm(other, isRecycled: isRecycled)
            } else if other.isDisabled {
                .refuse(.accountDisabled)
            } else if other.emailIsVerified {
                // A relay address is one person's at one team: that somebody typed it in says little.
                identity.isPrivateEmail ? .confirm(other, isRecycled: false) : .link(to: other, takesEmail: true)
            } else {
                vouching.isEmpty ? .reclaim(other) : .confirm(other, isRecycled: false)
            }
    }
}

/// Why an identity was not linked, or nobody signed in with it.
public enum LinkRefusal: Refusal, Hashable {
    /// The identity is another account's.
    case identityTaken
    /// The account has another identity of that provider.
    case providerAlreadyLinked
    /// Another account holds the address.
    case emailTaken
    case accountDisabled
    /// A re-authentication with an identity that nobody has.
    case accountUnknown

    /// Signing in or merging is still open, and needs no second proof.
    public var leavesPending: Bool {
        switch self {
        case .identityTaken, .providerAlreadyLinked, .emailTaken: true
        case .accountDisabled, .accountUnknown: false
        }
    }
}

extension LinkRefusal {
    public var code: ErrorCode {
        switch self {
        case .identityTaken: .federatedUserIDAlreadyLinked
        case .providerAlreadyLinked: .providerAlreadyLinked
        case .emailTaken: .emailExists
        case .accountDisabled: .userDisabled
        case .accountUnknown: .userNotFound
        }
    }
}
