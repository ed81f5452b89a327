/// The sign-in methods that users can use at present: the configuration changes after accounts get their methods.
public struct UsableSignInMethods: Hashable, Sendable {
    /// The providers through which some app of the project accepts a sign-in, and `password`, `emailLink` and `phone`.
    private let methods: Set<ProviderID>
    /// The RP ID of the project; `nil` if the project does not accept passkeys.
    private let rpID: String?

    /// - Parameter account: only the providers of its identities are checked.
    public init(for account: Account, in realm: Realm) {
        let (policy, apps) = (realm.policy, realm.project.apps)
        // The reason why an app rejects a provider does not matter.
        var methods = Set(account.identities.map(\.provider)).filter { provider in
            apps.contains { (try? LoginServices.require(provider, for: $0, in: realm, to: .signIn)) != nil }
        }
        if policy.allowsPasswords { methods.insert(.password) }
        if policy.allowsEmailLinks { methods.insert(.emailLink) }
        if policy.allowsPhoneNumbers, policy.secondFactors.state != .mandatory { methods.insert(.phone) }
        self.methods = methods
        // A project without passkeys has no relying party.
        rpID = (try? realm.relyingParty())?.id
    }

    /// Whether the provider accepts sign-ins at present. `password`, `emailLink` and `phone` count as providers.
    public func contains(_ method: ProviderID) -> Bool { methods.contains(method) }

    /// Whether the user of `account` can sign in with its password, an email link or its telephone number, if it has
    /// one. Users enter their address with a password, and need it for a link.
    public func contains(_ method: ProviderID, of account: Account) -> Bool {
        contains(method) && (account.email != nil || ![.password, .emailLink].contains(method))
    }

    /// Whether a user can sign in with the identity.
    public func contains(_ identity: LinkedIdentity) -> Bool { !identity.isSuspended && contains(identity.provider) }

    /// Whether a user can sign in with the passkey. A passkey works with the RP ID for which it was created only.
    public func contains(_ passkey: Passkey) -> Bool { passkey.rpID == rpID }

    /// The number of ways in which the user of `account` can sign in at present, or the backend can sign the user in.
    public func count(of account: Account) -> Int {
        let credentials: [(isPresent: Bool, method: ProviderID)] = [
            (account.hasPassword, .password), (account.usesEmailLinks, .emailLink),
            (account.phoneNumber != nil, .phone),
        ]
        return account.identities.count(where: contains) + account.passkeys.count(where: contains)
            + credentials.count { $0.isPresent && contains($0.method, of: account) }
            + (account.usesCustomTokens ? 1 : 0)
    }
}
