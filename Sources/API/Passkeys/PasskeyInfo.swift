internal import Encoding
internal import Identity

/// A passkey on the wire.
struct PasskeyInfo: Encodable {
    /// In base64url without padding.
    let credentialId: String
    let name: String
    let createdAt: String
    let lastUsedAt: String?
    let backedUp: Bool
    let transports: [String]
    let aaguid: String

    init(_ passkey: Passkey) {
        credentialId = passkey.id.rawValue
        name = passkey.name
        createdAt = passkey.createdAt.iso8601
        lastUsedAt = passkey.lastUsedAt?.iso8601
        backedUp = passkey.isBackedUp
        transports = passkey.transports
        aaguid = passkey.aaguid
    }
}

/// What an app tells password managers about the passkeys of an account under one user handle
/// (`PublicKeyCredential.signalAllAcceptedCredentials` and `signalCurrentUserDetails`).
struct PasskeySignal: Encodable {
    let rpId: String
    /// The user handle, in base64url without padding.
    let userId: String
    let allAcceptedCredentialIds: [String]
    let name: String
    let displayName: String

    /// - Parameter former: the account before a change. If a user handle has lost its last passkey, the signal for it
    ///   has an empty list: otherwise the password manager would keep that passkey.
    static func all(for account: Account, after former: Account? = nil) -> [PasskeySignal] {
        (former.map(account.passkeyGroups(after:)) ?? account.passkeyGroups).map { group in
            PasskeySignal(
                rpId: group.rpID, userId: Base64URL.encode(Array(group.userHandle.utf8)),
                allAcceptedCredentialIds: group.passkeys.map(\.rawValue), name: account.passkeyUserName,
                displayName: account.displayName ?? "")
        }
    }
}

extension [PasskeySignal] {
    /// `nil` instead of an empty list.
    var nonEmpty: [PasskeySignal]? { isEmpty ? nil : self }
}

extension ID where Subject == Passkey {
    /// Parses a credential ID, which clients send in either alphabet of base64, with or without padding.
    init?(credentialID text: String) {
        guard let bytes = Base64.decode(text), !bytes.isEmpty else { return nil }
        self.init(Base64URL.encode(bytes))
    }
}
