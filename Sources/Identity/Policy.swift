/// What a project allows and asks for. It starts from a ``Profile``; every member can be set on its own.
public struct Policy: Hashable, Sendable {
    /// A named set of defaults.
    public enum Profile: String, Sendable, CaseIterable {
        /// Ours: safer where Firebase's own defaults are known to hurt.
        case sekisho
        /// Firebase's production defaults, exactly.
        case firebase
    }

    /// Accounts with e-mail and password may be made and used.
    public var allowsPasswords: Bool
    /// Accounts without any credential may be made.
    public var allowsAnonymous: Bool
    /// An identity whose address an account holds already makes an account of its own, without an address.
    public var allowsDuplicateEmails: Bool
    /// An address that Google has verified counts as proven, whatever its domain.
    public var trustsGoogleForEveryDomain: Bool
    /// Apple's identity tokens have to carry a nonce.
    public var requiresNonce: Bool
    /// The last way to sign in is removed only by a request that says so.
    public var keepsLastSignInMethod: Bool
    /// In characters; 6 to 64.
    public var minimumPasswordLength: Int
    /// E-mail enumeration protection: answers do not tell who has an account.
    public var hidesAccounts: Bool
    /// Each use of a refresh token gives a new one.
    public var rotatesRefreshTokens: Bool
    /// How long a refresh token still works after its successor was used; 0 to 300 s.
    public var refreshGrace: Duration
    /// How old a login may be for a change of credentials.
    public var recentLogin: Duration
    /// How long an ID token is good for.
    public var idTokenLifetime: Duration

    public init(_ profile: Profile) {
        allowsPasswords = true
        allowsAnonymous = true
        allowsDuplicateEmails = false
        hidesAccounts = true
        refreshGrace = .seconds(30)
        recentLogin = .seconds(300)
        idTokenLifetime = .seconds(3600)
        switch profile {
        case .sekisho:
            trustsGoogleForEveryDomain = false
            requiresNonce = true
            keepsLastSignInMethod = true
            minimumPasswordLength = 8
            rotatesRefreshTokens = true
        case .firebase:
            trustsGoogleForEveryDomain = true
            requiresNonce = false
            keepsLastSignInMethod = false
            minimumPasswordLength = 6
            rotatesRefreshTokens = false
        }
    }
}
