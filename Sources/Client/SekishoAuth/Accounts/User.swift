public import Foundation

/// A signed-in user.
///
/// An instance stays the same when its tokens or its profile change. A new sign-in makes a new instance. All members
/// can be used on any thread. The description contains no address and no token.
public final class User: UserInfo {
    let core: AuthCore
    let session: Locked<Session>
    let refreshState = Locked(RefreshState())
    /// Orders refreshes and operations that replace the tokens.
    let gate = SerialGate()

    init(_ session: Session, core: AuthCore) {
        self.core = core
        self.session = Locked(session)
    }

    private var profile: Profile { session.current.profile }

    /// `Firebase`, for apps that compare it.
    public var providerID: String { "Firebase" }
    /// The ID of the account (`localId`). It never changes and is never assigned again.
    public var uid: String { profile.uid }
    /// The name to show.
    public var displayName: String? { profile.displayName }
    /// The URL of a picture.
    public var photoURL: URL? { profile.photoURL.flatMap { URL(string: $0) } }
    /// The account's email address.
    public var email: String? { profile.email }
    /// The account's phone number in E.164.
    public var phoneNumber: String? { profile.phoneNumber }
    /// Whether the account has no sign-in method yet.
    public var isAnonymous: Bool { session.current.isAnonymous }
    /// Whether the email address is verified. Call ``reload()`` after the user has verified it.
    public var isEmailVerified: Bool { profile.isEmailVerified }
    /// The account's sign-in methods with their profiles, in the gateway's order.
    public var providerData: [any UserInfo] { profile.identities.map(IdentityInfo.init) }
    /// When the account was created and last used.
    public var metadata: UserMetadata {
        let profile = profile
        return UserMetadata(
            creationDate: profile.createdAt.map(Date.init(timeIntervalSince1970:)),
            lastSignInDate: profile.lastSignInAt.map(Date.init(timeIntervalSince1970:)))
    }
    /// The account's second factors.
    public var multiFactor: MultiFactor { MultiFactor() }
    /// The refresh token. It is a secret of this device: do not log it and do not send it to a backend.
    public var refreshToken: String? { session.current.tokens.refreshToken }
    /// The tenant of the account, or `nil` if it belongs to the project itself.
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
    /// Whether both are the same instance. A new sign-in to the same account makes another one.
    public static func == (one: User, other: User) -> Bool { one === other }

    /// Hashes the instance.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
