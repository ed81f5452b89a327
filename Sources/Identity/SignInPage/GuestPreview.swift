/// What a guest who signs in on the sign-in page is asked to confirm. Nothing of it has happened: the exchange of the
/// code performs it.
public struct GuestPreview: Hashable, Codable, Sendable {
    /// The form of the preview repeats the ID, so that the user confirms what the page has shown, and nothing else.
    public let id: String
    public let change: Change

    public enum Change: Hashable, Codable, Sendable {
        /// The guest account stays, and gets an identity that no account has.
        case upgrade(pendingToken: String, provider: ProviderID)
        /// The guest account stays, and gets an address that no account has.
        case addEmail(SignInPageEmail)
        /// The guest account becomes part of an account to which the user has signed in on the page.
        case merge(GuestMerge)
    }
}

extension SignInPageStep {
    /// The session on the page that waits for an answer of the user.
    public var session: IDTokenContents? {
        switch self {
        case .guest(let preview):
            if case .merge(let merge) = preview.change {
                IDTokenContents(account: merge.account, session: merge.session)
            } else {
                nil
            }
        case .held(let held): IDTokenContents(account: held.account, session: held.session)
        case .secondFactor, .emailCode: nil
        }
    }
}

/// A merge of a guest account, in the words of its preview.
public struct GuestMerge: Hashable, Codable, Sendable {
    /// A part of a profile.
    public enum Value: Hashable, Codable, Sendable {
        case name(String)
        case photo
    }

    let precondition: MergePrecondition
    /// The session on the page, which proves the other account.
    public let session: ID<Session>
    /// The name or address of the other account; `nil` if it has neither.
    public let name: String?
    /// What the other account gets.
    public let moved: [Value]
    /// What is deleted with the guest account.
    public let lost: [Value]
    /// Whether the claims that a backend has given to the guest account are deleted with it.
    public let losesClaims: Bool

    public var account: ID<Account> { precondition.plan.target }
}

extension GuestMerge {
    init(_ preview: AccountMerging.Preview, provenBy session: ID<Session>) {
        let (plan, source, target) = (preview.plan, preview.source, preview.target)
        var (moved, lost): ([Value], [Value]) = ([], [])
        if let name = source.displayName {
            if plan.movesDisplayName { moved.append(.name(name)) }
            if !plan.movesDisplayName, target.displayName != name { lost.append(.name(name)) }
        }
        if source.photoURL != nil {
            if plan.movesPhoto { moved.append(.photo) }
            if !plan.movesPhoto, target.photoURL != source.photoURL { lost.append(.photo) }
        }
        self.init(
            precondition: preview.precondition, session: session,
            name: target.displayName ?? target.email?.rawValue, moved: moved, lost: lost,
            losesClaims: plan.dropped.contains(.customClaims))
    }
}
