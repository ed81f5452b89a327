public import Foundation

/// A passkey of the account.
public struct PasskeyInfo: Hashable, Sendable, Identifiable {
    /// The credential ID, in base64url.
    public let credentialID: String
    /// The name that the user gave the passkey, or that of the password manager.
    public let name: String
    /// When the passkey was created.
    public let creationDate: Date?
    /// When the user last signed in with the passkey, or `nil` if never.
    public let lastUsedDate: Date?
    /// Whether a password manager keeps a copy of the passkey, so that the user can lose the device.
    public let isBackedUp: Bool

    /// The ``credentialID``.
    public var id: String { credentialID }

    init(_ profile: PasskeyProfile) {
        credentialID = profile.credentialID
        name = profile.name
        creationDate = profile.createdAt.map(Date.init(timeIntervalSince1970:))
        lastUsedDate = profile.lastUsedAt.map(Date.init(timeIntervalSince1970:))
        isBackedUp = profile.isBackedUp
    }
}

/// What a system request for a new account with a passkey needs. See ``Auth/startPasskeySignUp(email:displayName:)``.
public struct PasskeySignUpOptions: Sendable {
    /// The domain that the passkey belongs to.
    public let relyingPartyIdentifier: String
    /// The challenge. It is valid for 5 minutes.
    public let challenge: Data
    /// The user ID for the passkey. It is not the ID of the account.
    public let userID: Data
    /// The name of the account in lists of passkeys.
    public let name: String

    init(_ options: PasskeyCreationOptions) {
        relyingPartyIdentifier = options.relyingPartyIdentifier
        challenge = options.challenge
        userID = options.userID
        name = options.name
    }
}
