/// The facts on which the decision about a verified identity is based.
public struct LinkingFacts: Hashable, Sendable {
    public var identity: VerifiedIdentity
    /// The account that the identity is already linked to.
    public var owner: Account?
    /// The account whose own address is the email address of the identity. It may be ``owner``.
    public var sameEmail: Account?
    /// Whether ``sameEmail`` has an ``EarlierMailbox``.
    public var hasEarlierMailbox: Bool
    /// The caller, who requests to link the identity to their account.
    public var caller: Caller?
    /// `false` for a re-authentication: only an identity that is already linked is accepted.
    public var autoCreate: Bool
    public var policy: Policy
    /// See ``ModeRules/rejectsRepeatedLinks``.
    public var rejectsRepeatedLink: Bool
    /// Providers whose identities cannot sign in to the calling app. Their claims about email addresses are not used.
    public var linkOnly: Set<ProviderID>

    public init(
        identity: VerifiedIdentity, owner: Account? = nil, sameEmail: Account? = nil, hasEarlierMailbox: Bool = false,
        caller: Caller? = nil, autoCreate: Bool = true, policy: Policy, rejectsRepeatedLink: Bool = false,
        linkOnly: Set<ProviderID> = []
    ) {
        self.identity = identity
        self.owner = owner
        self.sameEmail = sameEmail
        self.hasEarlierMailbox = hasEarlierMailbox
        self.caller = caller
        self.autoCreate = autoCreate
        self.policy = policy
        self.rejectsRepeatedLink = rejectsRepeatedLink
        self.linkOnly = linkOnly
    }
}

extension LinkingFacts {
    /// Whether `caller`, who presents an identity of `owner`, authenticates again instead of linking the identity.
    fileprivate func isLogin(of caller: Account, to owner: Account) -> Bool {
        owner.id == caller.id && !(rejectsRepeatedLink && autoCreate)
    }

    fileprivate func signIn(_ account: Account) -> SignInChange {
        guard policy.followsRelayAddress,
            let email = account.newEmail(following: identity, isFree: sameEmail == nil || sameEmail?.id == account.id)
        else { return .signIn(account) }
        return .signInChangingEmail(account, to: email)
    }
}

extension Account {
    /// Whether the provider has disabled the user's account there, so that the identity cannot sign in.
    func hasSuspended(_ proven: VerifiedIdentity) -> Bool {
        identity(proven.provider, subject: proven.subject)?.isSuspended ?? false
    }
}

/// The decision about a verified identity.
public enum LinkingDecision: Hashable, Sendable {
    /// The user is signed in, with this change.
    case commit(SignInChange)
    /// This account has the identity's address. The identity is linked only if the owner of the account confirms it.
    ///
    /// - Parameter isRecycled: whether the provider may have given the address of one user to another. The account has
    ///   another identity of the same provider; and either the account's address is verified, or the provider has
    ///   verified the same address for that other identity.
    case confirm(Account, isRecycled: Bool)
    case refuse(LinkRefusal)
}

/// The change to accounts and identities that signs a user in.
public enum SignInChange: Hashable, Sendable {
    /// The account has the identity.
    case signIn(Account)
    /// The account has the identity, and its address changes to the new address of the identity.
    case signInChangingEmail(Account, to: EmailAddress)
    /// The identity is linked to this account: the caller's own, or the one with the same verified address.
    ///
    /// - Parameters:
    ///   - caller: the caller, if the account is the caller's. The session of the caller must be active. `nil` if the
    ///     account was found by its address.
    ///   - copiesEmail: whether an account without an address gets the identity's address, which no other account has.
    case link(to: Account, by: Caller?, copiesEmail: Bool)
    /// The creator of this account never verified the address. The account goes to the user for whom the provider has
    /// verified the address. The password and identities of its creator are removed, and every earlier session ends.
    case reclaim(Account)
    /// - Parameter copiesEmail: whether the account gets the identity's address.
    case create(copiesEmail: Bool)
    /// As ``reclaim(_:)``, but the owner of another mailbox can still take the account back; see ``EarlierMailbox``. So
    /// this account only loses its address, and the user gets a new account.
    case createInPlaceOf(Account)
}

/// A change that signs a user in, with everything needed to apply it.
public struct SignInCommit: Hashable, Sendable {
    public let change: SignInChange
    /// The commit consumes its replay keys. If one was used before, nothing is applied.
    public let identity: VerifiedIdentity
    /// Its account is the account of the change, or a new one.
    public let newSession: NewSession
    public let recording: EventRecording
    /// The emails to enqueue with the change.
    public let emailBatch: EmailBatch

    public var committedAt: Instant { newSession.openedAt }

    /// The events of the change, except that an account loses its address (``SignInChange/createInPlaceOf(_:)``), or
    /// the identities and second factors that a reclaim removes. A sign-in and a sign-up have none.
    public var events: [AccountEvent] {
        let provider = identity.provider
        return switch change {
        case .signIn, .create, .createInPlaceOf: []
        case .signInChangingEmail(let account, _): [AccountEvent(.emailChanged(by: provider), of: account.id)]
        case .link(let account, _, _): [AccountEvent(.identityLinked(provider), of: account.id)]
        case .reclaim(let account):
            [AccountEvent(.accountReclaimed(by: provider), of: account.id)]
                + (account.hasPassword ? [AccountEvent(.passwordRemoved, of: account.id)] : [])
        }
    }

    /// The identity in the form in which it is newly linked to an account.
    public var linked: LinkedIdentity {
        var linked = LinkedIdentity(identity)
        linked.linkedAt = committedAt
        linked.linkedDevice = newSession.session.device
        return linked
    }
}

extension LinkingDecision {
    /// Makes the decision. If the identity is already linked to an account, its email address selects no other account.
    public init(_ facts: LinkingFacts) {
        if facts.owner?.hasSuspended(facts.identity) == true {
            self = .refuse(.accountDisabled)
        } else if let caller = facts.caller {
            self.init(facts, caller: caller)
        } else if let owner = facts.owner {
            self = .commit(facts.signIn(owner))
        } else if !facts.autoCreate {
            self = .refuse(.accountUnknown)
        } else if let other = facts.sameEmail, !facts.policy.allowsDuplicateEmails {
            self.init(facts, existing: other)
        } else if !facts.policy.allowsSignUp {
            self = .refuse(.signUpNotAllowed)
        } else {
            self = .commit(.create(copiesEmail: !facts.policy.allowsDuplicateEmails))
        }
    }

    private init(_ facts: LinkingFacts, caller: Caller) {
        let account = caller.account
        let isLinkOnly = facts.linkOnly.contains(facts.identity.provider)
        self =
            if let owner = facts.owner {
                !facts.isLogin(of: account, to: owner)
                    ? .refuse(.identityTaken) : isLinkOnly ? .refuse(.linkOnly) : .commit(facts.signIn(account))
            } else if account.identity(of: facts.identity.provider) != nil {
                .refuse(.providerAlreadyLinked)
            } else if isLinkOnly {
                // Otherwise an anonymous account would become an account that the user can never sign in to.
                account.hasSignInMethod(ignoring: facts.linkOnly)
                    ? .commit(.link(to: account, by: caller, copiesEmail: false)) : .refuse(.linkOnly)
            } else if let other = facts.sameEmail, other.id != account.id, !facts.policy.allowsDuplicateEmails {
                .refuse(.emailTaken)
            } else {
                .commit(
                    .link(
                        to: account, by: caller,
                        copiesEmail: facts.sameEmail == nil || facts.sameEmail?.id == account.id))
            }
    }

    private init(_ facts: LinkingFacts, existing other: Account) {
        let (identity, linkOnly) = (facts.identity, facts.linkOnly)
        let verifiedIdentities = other.identities.filter {
            $0.email == identity.email && $0.emailTrust >= .verified && !linkOnly.contains($0.provider)
        }
        // Any user can register an unverified address and link an identity of any provider. This must not prevent the
        // owner of the address from signing in.
        let isRecycled = (other.emailIsVerified ? other.identities : verifiedIdentities).contains {
            $0.provider == identity.provider
        }
        self =
            if isRecycled || identity.emailTrust < .authoritative {
                .confirm(other, isRecycled: isRecycled)
            } else if other.isDisabled {
                .refuse(.accountDisabled)
            } else if other.emailIsVerified {
                // A relay address is specific to one user and one developer team, so another account with the same
                // address is unusual, and is not linked automatically. Nor does the mailbox alone add a sign-in method
                // to an account that passkeys protect.
                identity.isPrivateEmail || facts.policy.secondFactors.demandsPasskey(of: other)
                    ? .confirm(other, isRecycled: false) : .commit(.link(to: other, by: nil, copiesEmail: true))
            } else {
                !verifiedIdentities.isEmpty
                    ? .confirm(other, isRecycled: false)
                    : !facts.hasEarlierMailbox
                        ? .commit(.reclaim(other))
                        : facts.policy.allowsSignUp ? .commit(.createInPlaceOf(other)) : .refuse(.signUpNotAllowed)
            }
    }
}

/// Why an identity was not linked, or did not sign in a user.
public enum LinkRefusal: Refusal, Hashable {
    /// Another account has the identity.
    case identityTaken
    /// The account has another identity of that provider.
    case providerAlreadyLinked
    /// Another account has the address.
    case emailTaken
    /// The account that has the address is disabled, so its owner could not confirm the link; or the provider has
    /// suspended the identity.
    case accountDisabled
    /// A re-authentication with an identity that is not linked to any account.
    case accountUnknown
    /// No account has the identity, and only administrators create accounts; see ``Policy/allowsSignUp``.
    case signUpNotAllowed
    /// The app offers the provider only for linking, but the request is a re-authentication with the identity, or would
    /// link the identity to an account that has no other sign-in method.
    case linkOnly

    /// Whether the response contains a pending token, which the client can send in a later request instead of another
    /// proof.
    public var issuesPendingToken: Bool {
        switch self {
        case .identityTaken, .providerAlreadyLinked, .emailTaken: true
        case .accountDisabled, .accountUnknown, .signUpNotAllowed, .linkOnly: false
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
        // Firebase's JavaScript SDK signs the user out on USER_NOT_FOUND. It reports EMAIL_NOT_FOUND as a mismatch.
        case .accountUnknown: .emailNotFound
        case .signUpNotAllowed: .adminOnlyOperation
        case .linkOnly: .operationNotAllowed
        }
    }

    public var detail: String? { self == .linkOnly ? ProviderRefusal.linkOnly.detail : nil }
}

/// Finds and changes accounts for sign-ins with identities, and for merges. Every call is one statement or one
/// transaction. A write throws ``StoreConflict`` if it was not applied. Every call may throw ``StoreUnavailable``.
public protocol FederationStore: Sendable {
    /// Returns the account that has the identity, and the account that holds the identity's email address.
    ///
    /// - Throws: ``ProviderRefusal/voidCredential`` for a credential that was issued before the user disconnected the
    ///   app or deleted the account at the provider.
    func linkingCandidates(
        for identity: VerifiedIdentity, in realm: ID<Realm>
    ) async throws -> (owner: Account?, sameEmail: Account?)

    /// Applies a decision and opens the session.
    ///
    /// - Returns: the account after the change.
    /// - Throws: ``StoreConflict/stale`` if the decision has to be made again; ``StoreConflict/alreadyUsed``.
    func commit(_ commit: SignInCommit, in realm: ID<Realm>) async throws -> Account

    /// Whether a change of the account's email address can still be undone by the link sent to the earlier address.
    func hasRecoveryCode(_ account: ID<Account>, at now: Instant, in realm: ID<Realm>) async throws -> Bool

    /// Whether the account has an ``EarlierMailbox``.
    func hasEarlierMailbox(_ account: ID<Account>, at now: Instant, in realm: ID<Realm>) async throws -> Bool

    /// Applies the merge plan, stores a merge record for the undo, enqueues `notices`, and opens the session of
    /// `signIn` for the target. The ID of the source, which the merge deletes, is reserved as after a deletion.
    ///
    /// - Returns: the new session, with the target after the merge.
    /// - Throws: ``MergeRefusal``, including ``MergeRefusal/recoveryPending``; ``StoreConflict/stale`` if the accounts
    ///   no longer match the precondition, or a condition of `signIn` no longer holds; ``StoreConflict/alreadyUsed``.
    func merge(
        _ merge: AccountMerge, with signIn: MergeSignIn, announcing notices: MergeNotices, in realm: ID<Realm>
    ) async throws -> OpenedSession
}
