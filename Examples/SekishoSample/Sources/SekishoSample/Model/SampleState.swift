import Foundation
import SekishoAuth

/// What the screens show.
public struct SampleState: Sendable {
    /// The screen below all others.
    public enum Screen: String, Sendable {
        /// It is not known yet who is signed in, because the device is locked.
        case restoring
        case signIn
        case home
    }

    /// The screen to show.
    public internal(set) var screen = Screen.restoring
    /// Whether a request is under way.
    public internal(set) var isBusy = false
    /// The user, or `nil` if nobody is signed in.
    public internal(set) var user: Profile?
    /// The sign-in methods to offer, Apple first.
    public internal(set) var loginMethods: [LoginMethod] = []
    /// Whether the app may be used without a sign-in method.
    public internal(set) var allowsAnonymous = false
    /// The user's sessions.
    public internal(set) var devices: [UserSession] = []
    /// The providers that can prove again who the user is. `nil` unless that is necessary.
    public internal(set) var reauthentication: [String]?
    /// What to decide before a credential can be used.
    public internal(set) var conflict: Conflict?
    /// What went wrong.
    public internal(set) var problem: Problem?
    /// What was done, where the screen does not show it.
    public internal(set) var notice: String?
}

/// The profile on the screen. It is a copy, so that a change of it is a change of the screen.
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
