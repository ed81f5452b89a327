public import Foundation

/// A profile: that of the account, or that of one of its sign-in methods.
public protocol UserInfo: Sendable {
    /// The provider's ID, for example `apple.com`. For ``User``, it is `Firebase`.
    var providerID: String { get }
    /// The user's ID at the provider. For ``User``, it is the ID of the account.
    var uid: String { get }
    /// The name to show.
    var displayName: String? { get }
    /// The URL of a picture.
    var photoURL: URL? { get }
    /// The email address.
    var email: String? { get }
    /// The phone number in E.164, with the plus sign.
    var phoneNumber: String? { get }
}

/// The profile of one sign-in method.
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

/// When an account was created and last used.
public struct UserMetadata: Hashable, Sendable {
    /// When the account was created.
    public let creationDate: Date?
    /// When the user last signed in.
    public let lastSignInDate: Date?
}

/// The second factors of an account.
///
/// Second factors. The gateway does not support them yet, so the list is empty.
public struct MultiFactor: Sendable {
    /// The second factors that the user enrolled.
    public var enrolledFactors: [MultiFactorInfo] { [] }
}

/// A second factor.
public struct MultiFactorInfo: Hashable, Sendable {
    /// The ID of the factor.
    public let uid: String
    /// The name that the user gave to the factor.
    public let displayName: String?
    /// When the user enrolled the factor.
    public let enrollmentDate: Date
    /// The kind of the factor.
    public let factorID: String
}
