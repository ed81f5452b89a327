/// A change by a signed-in caller, who gets a new session.
struct CallerChange: Sendable {
    let caller: Caller
    let method: ProviderID
    /// When the user last authenticated; `nil` if the change itself counts as a login.
    let authenticatedAt: Instant?
    /// Whether the change ends all earlier sessions of the account. Such a change counts as a login: it moves
    /// ``Account/validSince``, and Admin SDKs reject tokens with an earlier `auth_time`.
    var endsSessions = false
    /// As in ``FirstFactor``.
    var credentialIssuedAt: Instant?
    /// See ``AccountEditor/Input/resumptionKey``.
    var resumptionKey: ResumptionKey?
    /// The merge of the caller's account, whose target gets the session; `nil` for another change.
    var merge: MergePrecondition?
    /// The claims of the session that proved the merge's target.
    var mergedClaims: Claims?
    var secondFactor = Replacement<SessionFactor>.keep
    var passkey = Replacement<ID<Passkey>>.keep
    /// The call of the blocking functions; `nil` if the project has none for the change.
    var hook: HookCall?

    enum Replacement<Value: Sendable>: Sendable {
        /// The new session has the value of the caller's.
        case keep
        case replace(Value?)
    }

    /// The claims of the caller's session or, after a merge, of the session that proved the target.
    var claimsToKeep: Claims? { merge == nil ? caller.session.claims : mergedClaims }

    func secondFactor(after session: Session) -> SessionFactor? {
        switch secondFactor {
        case .keep: session.secondFactor
        case .replace(let factor): factor
        }
    }

    func passkey(after session: Session) -> ID<Passkey>? {
        switch passkey {
        case .keep: session.passkey
        case .replace(let passkey): passkey
        }
    }
}
