public import Foundation

/// The profile of an account or of one of its linked providers.
public protocol UserInfo: Sendable {
    /// The provider ID, for example `apple.com`. For ``User``, it is `Firebase`.
    var providerID: String { get }
    /// The user ID at the provider. For ``User``, it is the ID of the account.
    var uid: String { get }
    /// The display name.
    var displayName: String? { get }
    /// The URL of the profile photo.
    var photoURL: URL? { get }
    /// The email address.
    var email: String? { get }
    /// The phone number in E.164 format.
    var phoneNumber: String? { get }
}

/// The profile of a linked provider.
struct IdentityInfo: UserInfo, CustomStringConvertible {
    private let profile: ProviderProfile

    init(_ profile: ProviderProfile) { self.profile = profile }

    var providerID: String { profile.providerID }
    var uid: String { profile.uid }
    var displayName: String? { profile.displayName }
    var photoURL: URL? { profile.photoURL.flatMap { URL(string: $0) } }
    var email: String? { profile.email }
    var phoneNumber: String? { profile.phoneNumber }
    var description: String { "UserInfo(providerID: \(providerID))" }
}

/// The times of an account's creation and of the last sign-in.
public struct UserMetadata: Hashable, Sendable {
    /// When the account was created.
    public let creationDate: Date?
    /// When the user last signed in.
    public let lastSignInDate: Date?
}
