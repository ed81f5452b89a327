public import Foundation

/// A signed-in user.
///
/// The instance stays the same when the tokens or the profile change. A sign-in creates a new instance. All members can
/// be used on any thread. The description contains neither an email address nor a token.
///
/// Methods throw ``AuthErrorCode/userTokenExpired``, ``AuthErrorCode/userDisabled`` or ``AuthErrorCode/userNotFound``
/// if the session has ended, or the account is disabled or deleted. Most methods then sign the user out. The others
/// keep the user, for example because the error can concern another account. For errors of all requests, see ``Auth``.
public final class User: UserInfo {
    let core: AuthCore
    let session: Locked<Session>
    let refreshState = Locked(RefreshState())
    /// Runs refreshes and operations that replace the tokens, one at a time.
    let taskQueue = SerialTaskQueue()
    /// The name of the passkey that the system is creating, until the gateway stores it.
    let passkeyName = Locked<String?>(nil)
    /// Signals for password managers about user handles that have lost their last passkey. The gateway no longer knows
    /// these handles.
    let emptiedPasskeySignals = Locked<[PasskeySignal]>([])

    init(_ session: Session, core: AuthCore) {
        self.core = core
        self.session = Locked(session)
    }

    private var profile: Profile { session.current.profile }

    /// Always `Firebase`, as in FirebaseAuth.
    public var providerID: String { "Firebase" }
    /// The ID of the account (`localId`). It never changes and is never assigned to another account.
    public var uid: String { profile.uid }
    /// The display name.
    public var displayName: String? { profile.displayName }
    /// The URL of the profile photo.
    public var photoURL: URL? { profile.photoURL.flatMap { URL(string: $0) } }
    /// The email address.
    public var email: String? { profile.email }
    /// The phone number in E.164 format.
    public var phoneNumber: String? { profile.phoneNumber }
    /// Whether ``Auth/signInAnonymously()`` created the user, and no credential has been linked since. If the response
    /// to ``link(with:)`` was lost, this can stay true until ``reload()``.
    public var isAnonymous: Bool { session.current.isAnonymous }
    /// Whether the email address is verified. Call ``reload()`` after the user has verified it.
    public var isEmailVerified: Bool { profile.isEmailVerified }
    /// The profiles of the linked providers, in the order of the gateway's response.
    public var providerData: [any UserInfo] { profile.identities.map(IdentityInfo.init) }
    /// The times of the account's creation and of the last sign-in.
    public var metadata: UserMetadata {
        let profile = profile
        return UserMetadata(
            creationDate: profile.createdAt.map(Date.init(timeIntervalSince1970:)),
            lastSignInDate: profile.lastSignInAt.map(Date.init(timeIntervalSince1970:)))
    }
    /// The second factors of the account.
    public var multiFactor: MultiFactor { MultiFactor(user: self) }
    /// The refresh token. It is a secret: do not log it, and do not send it to a backend.
    public var refreshToken: String? { session.current.tokens.refreshToken }
    /// The ID of the account's tenant, or `nil` if the account belongs to the project itself.
    public var tenantID: String? { session.current.tenantID }
}

extension User: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The ID of the account only.
    public var description: String { "User(uid: \(uid))" }
    /// The ID of the account only.
    public var debugDescription: String { description }
    /// The ID of the account only.
    public var customMirror: Mirror { Mirror(self, children: ["uid": uid]) }
}

extension User: Hashable {
    /// Whether both are the same instance.
    public static func == (one: User, other: User) -> Bool { one === other }

    /// Hashes the identity of the instance.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
