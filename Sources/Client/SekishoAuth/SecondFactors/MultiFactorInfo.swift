public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase, because FirebaseAuth has this name.
/// The ``MultiFactorInfo/factorID`` of telephone numbers.
public let PhoneMultiFactorID = PhoneMultiFactorInfo.factorID
// swift-format-ignore: AlwaysUseLowerCamelCase, because FirebaseAuth has this name.
/// The ``MultiFactorInfo/factorID`` of one-time passwords.
public let TOTPMultiFactorID = TOTPMultiFactorInfo.factorID

/// A second factor of an account: a ``PhoneMultiFactorInfo`` or a ``TOTPMultiFactorInfo``.
public class MultiFactorInfo: @unchecked Sendable {
    /// The ID of the factor. Unique within the account.
    public let uid: String
    /// The display name of the factor.
    public let displayName: String?
    /// When the user enrolled the factor.
    public let enrollmentDate: Date
    /// The type of the factor: ``PhoneMultiFactorID`` or ``TOTPMultiFactorID``.
    public let factorID: String

    fileprivate init(_ profile: FactorProfile, factorID: String) {
        uid = profile.uid
        displayName = profile.displayName
        enrollmentDate = Date(timeIntervalSince1970: profile.enrolledAt)
        self.factorID = factorID
    }

    /// Returns the factor as an instance of the class for its type.
    static func info(_ profile: FactorProfile) -> MultiFactorInfo {
        if let number = profile.phoneNumber { return PhoneMultiFactorInfo(profile, number: number) }
        return TOTPMultiFactorInfo(profile)
    }
}

extension MultiFactorInfo: Hashable, CustomStringConvertible {
    /// Whether both are the same factor, with the same name.
    public static func == (one: MultiFactorInfo, other: MultiFactorInfo) -> Bool {
        (one.uid, one.factorID, one.displayName) == (other.uid, other.factorID, other.displayName)
    }

    /// Hashes the ID of the factor.
    public func hash(into hasher: inout Hasher) { hasher.combine(uid) }

    /// The type and the ID only.
    public var description: String { "MultiFactorInfo(factorID: \(factorID), uid: \(uid))" }
}

/// A telephone number as second factor.
public final class PhoneMultiFactorInfo: MultiFactorInfo, @unchecked Sendable {
    static let factorID = "phone"

    /// The number. Before the second factor of a sign-in is proven, its digits except the last four are `*`.
    public let phoneNumber: String

    fileprivate init(_ profile: FactorProfile, number: String) {
        phoneNumber = number
        super.init(profile, factorID: Self.factorID)
    }
}

/// A one-time password of an authenticator app as second factor.
public final class TOTPMultiFactorInfo: MultiFactorInfo, @unchecked Sendable {
    static let factorID = "totp"

    fileprivate init(_ profile: FactorProfile) { super.init(profile, factorID: Self.factorID) }
}
