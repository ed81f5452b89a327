/// Sign-in with a custom token of the app's own backend.
///
/// Throws ``CustomTokenRefusal``, ``SignInRefusal`` and ``TokenRefusal``.
public struct CustomTokenMethod: Sendable {
    private let completion: SignInCompletion
    private let store: any AccountStore
    private let customTokens: CustomTokens

    public init(completion: SignInCompletion, store: any AccountStore, customTokens: CustomTokens) {
        self.completion = completion
        self.store = store
        self.customTokens = customTokens
    }

    /// Signs in to the account that the token names. Creates the account if it does not exist. If the account was
    /// deleted, a new, empty account with the same ID is created, provided that the token was issued after the
    /// deletion.
    ///
    /// - Parameter idToken: the ID token of the account that authenticates again; `nil` for a sign-in.
    public func signIn(
        _ token: String?, reauthenticating idToken: String? = nil, in realm: Realm, from context: RequestContext
    ) async throws -> SignInOutcome {
        guard let token, !token.isEmpty else { throw CustomTokenRefusal.missing }
        let contents = try await customTokens.read(token, realm)
        let factor = FirstFactor(
            account: .existingOrNew(contents.account), method: .custom, secondFactor: .exempt,
            reauthenticating: idToken, claims: contents.claims, hook: nil)
        return try await completion.signIn(factor, in: realm, from: context) { session in
            try await mappingConflicts(to: \.refusalOfSignIn) {
                try await store.openOrCreate(session, issuedAt: contents.issuedAt, in: realm.id)
            }
        }
    }
}

extension StoreConflict {
    fileprivate var refusalOfSignIn: (any Refusal)? {
        switch self {
        case .stale: SignInRefusal.accountDisabled
        case .notFound: CustomTokenRefusal.invalid(.olderThanDeletion)
        case .taken, .alreadyUsed, .lastSignInMethod: nil
        }
    }
}
