import Foundation
import SekishoAuth

/// What the screens show.
public struct SampleState: Sendable {
    /// The main screen.
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
    /// The profile of the signed-in user, if any.
    public internal(set) var user: Profile?
    /// The sign-in methods to offer, in display order.
    public internal(set) var loginMethods: [LoginMethod] = []
    /// Whether anonymous sign-in is allowed.
    public internal(set) var allowsAnonymous = false
    /// The user's sessions.
    public internal(set) var devices: [UserSession] = []
    /// The IDs of the providers with which the user can reauthenticate. `nil` unless an action requires a recent login.
    public internal(set) var reauthentication: [String]?
    /// The conflict that the user has to resolve.
    public internal(set) var conflict: Conflict?
    /// The error of the latest action.
    public internal(set) var error: ErrorMessage?
    /// The confirmation of the latest action, if the screen does not show its result otherwise.
    public internal(set) var notice: String?
}

/// A copy of the user's profile for the screens.
public struct Profile: Equatable, Sendable {
    /// The ID of the account.
    public let uid: String
    /// The display name.
    public let name: String?
    /// The email address.
    public let email: String?
    /// Whether the email address is verified.
    public let isEmailVerified: Bool
    /// Whether the user is anonymous.
    public let isAnonymous: Bool
    /// The IDs of the linked providers.
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

/// The reason why a credential cannot be used yet.
public enum Conflict: Equatable, Sendable {
    /// An account with the same email address exists. After a sign-in to it, the credential is linked.
    case signInFirst(email: String?)
    /// The credential is linked to another account. Sign in to that account, or merge this account into it.
    case otherAccount
}

/// An error as the screens show it.
public struct ErrorMessage: Equatable, Sendable {
    /// The library's code, for example ``AuthErrorCode/wrongPassword``.
    public let code: AuthErrorCode
    /// What the user can do.
    public let text: String
    /// What is wrong, for developers.
    public let details: String

    init(_ error: any Error) {
        code = error as? AuthErrorCode ?? .internalError
        let shown = code.text()
        text = "\(shown.title). \(shown.text)"
        details = error.localizedDescription
    }
}
