import Foundation
import SekishoAuth

/// What the screens show.
public struct SampleState: Sendable {
    /// The main screen, over which sheets appear.
    public enum Screen: String, Sendable {
        /// The stored session cannot be read yet, because the device is locked.
        case restoring
        case signIn
        case home
    }

    /// The screen to show.
    public internal(set) var screen = Screen.restoring
    /// Whether a request is in progress.
    public internal(set) var isBusy = false
    /// The signed-in user, if any.
    public internal(set) var user: Profile?
    /// The sign-in methods to offer, Apple first.
    public internal(set) var loginMethods: [LoginMethod] = []
    /// Whether the app may be used without a sign-in method.
    public internal(set) var allowsAnonymous = false
    /// The user's sessions.
    public internal(set) var devices: [UserSession] = []
    /// The providers with which the user can reauthenticate. `nil` unless that is necessary.
    public internal(set) var reauthentication: [String]?
    /// Why a credential cannot be used yet.
    public internal(set) var conflict: Conflict?
    /// What went wrong.
    public internal(set) var problem: Problem?
    /// Confirms an action whose result the screen does not show.
    public internal(set) var notice: String?
}

/// A copy of the user's profile. A changed copy updates the screen.
public struct Profile: Equatable, Sendable {
    /// The ID of the account.
    public let uid: String
    /// The name to show.
    public let name: String?
    /// The email address.
    public let email: String?
    /// Whether the email address is verified.
    public let isEmailVerified: Bool
    /// Whether the account has no sign-in method yet.
    public let isAnonymous: Bool
    /// The providers of the account's sign-in methods.
    public let methods: [String]

    init(_ user: User) {
        uid = user.uid
        name = user.displayName
        email = user.email
        isEmailVerified = user.isEmailVerified
        isAnonymous = user.isAnonymous
        methods = user.providerData.map(\.providerID)
    }
}

/// A credential that cannot be used yet.
public enum Conflict: Equatable, Sendable {
    /// An account with the same email address exists. Sign in to it; the credential is linked then.
    case signInFirst(email: String?)
    /// Another account has the identity. Use that account, or merge this one into it.
    case otherAccount
}

/// An error as the screens show it.
public struct Problem: Equatable, Sendable {
    /// The library's code, for example ``AuthErrorCode/wrongPassword``.
    public let code: AuthErrorCode
    /// The message that the user sees.
    public let text: String

    init(_ error: any Error) {
        code = error as? AuthErrorCode ?? .internalError
        text = error.localizedDescription
    }
}
