/// A first factor that a sign-in method has proven, and the account to which it signs in.
struct FirstFactor: Sendable {
    enum Target: Sendable {
        /// - Parameter endsSessions: whether the sign-in ends all earlier sessions of the account.
        case existing(Account, endsSessions: Bool = false)
        case new
        /// The account with this ID; the store creates it if it does not exist.
        case existingOrNew(ID<Account>)

        /// `nil` for a new account.
        var id: ID<Account>? {
            switch self {
            case .existing(let account, _): account.id
            case .new: nil
            case .existingOrNew(let id): id
            }
        }

        /// The account as the method has read it; `nil` for a new account, or one that only the store reads.
        var existing: Account? {
            if case .existing(let account, _) = self { account } else { nil }
        }
    }

    let account: Target
    let method: ProviderID
    let secondFactor: SecondFactorRule
    /// The ID token of the account that authenticates again; `nil` for a sign-in.
    var reauthenticating: String?
    /// The passkey that is the factor; `nil` for other methods.
    var passkey: ID<Passkey>?
    /// The claims of the custom token.
    var claims: Claims?
    /// When Apple issued the credential; `nil` for other methods.
    var credentialIssuedAt: Instant?
    /// The call of the blocking functions; `nil` if the project has none, and for a method about which none is asked.
    let hook: HookCall?

    var secondFactorUse: SecondFactorUse? {
        if case .proven(let use) = secondFactor { use } else { nil }
    }

    /// How to record the events of the sign-in; `nil` if no listener of the project wants them.
    func recording(in realm: Realm, from context: RequestContext) -> EventRecording? {
        let wanted = realm.project.wantedEvents
        guard !wanted.isEmpty else { return nil }
        let mayCreateAccount = account.existing == nil
        guard wanted.contains(.sessionOpened) || mayCreateAccount && wanted.contains(.accountCreated) else {
            return nil
        }
        return realm.recording(by: .user(context.trace))
    }
}

/// What a sign-in demands of an account that has second factors.
enum SecondFactorRule: Sendable {
    /// The sign-in waits for a second factor, and is then continued with this proof.
    case demanded(FirstFactorProof)
    case proven(SecondFactorUse)
    /// The account is new, the sign-in removes its factors (a reclaim), or the operator's backend vouches for the user
    /// (a custom token).
    case exempt
}

/// A proven first factor, in a form with which the sign-in is decided again after the second one.
enum FirstFactorProof: Codable, Sendable {
    /// The password of the account. A new password starts a new generation of the account.
    case password
    case emailLink(email: String, code: String)
    /// - Parameter autoCreate: as in ``FederatedMethod``.
    case identity(ResolvedProof, autoCreate: Bool)
}

extension SecondFactorRule {
    /// The rule for an account that the sign-in creates or reclaims. If a second factor was proven, the sign-in was
    /// decided for an account that has factors, so the new decision is rejected.
    var withoutFactors: SecondFactorRule {
        switch self {
        case .demanded, .exempt: .exempt
        case .proven: self
        }
    }
}
