internal import Encoding

/// A passkey of an account (WebAuthn Level 3): a key pair with which a user signs in. Contains neither of the keys.
public struct Passkey: Hashable, Sendable {
    /// The credential ID, in base64url without padding.
    public let id: ID<Passkey>
    /// The host for which the passkey was created.
    public let rpID: String
    /// What the authenticator returns for the account. The passkeys of an account share it, unless a merge has moved
    /// them there.
    public let userHandle: String
    public let name: String
    public let createdAt: Instant
    /// When the passkey was added to its current account, by its enrolment or by a merge.
    public let addedAt: Instant
    public let lastUsedAt: Instant?
    /// Whether the passkey is stored on more than one device.
    public let isBackedUp: Bool
    /// How browsers reach the authenticator, as it was reported.
    public let transports: [String]
    /// The model of the authenticator as a UUID in lower case, which nothing proves.
    public let aaguid: String

    public init(
        id: ID<Passkey>, rpID: String, userHandle: String, name: String, createdAt: Instant, addedAt: Instant,
        lastUsedAt: Instant?, isBackedUp: Bool, transports: [String], aaguid: String
    ) {
        self.id = id
        self.rpID = rpID
        self.userHandle = userHandle
        self.name = name
        self.createdAt = createdAt
        self.addedAt = addedAt
        self.lastUsedAt = lastUsedAt
        self.isBackedUp = isBackedUp
        self.transports = transports
        self.aaguid = aaguid
    }
}

extension Passkey {
    /// The maximum number of passkeys of an account.
    public static let limit = 20
    /// The transports of the WebAuthn Authenticator Transports registry, and `cable`, the former name of `hybrid`.
    private static let transports = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"]

    /// Returns the reported transports to store: the registered ones, each once. Every browser gets them back, so a
    /// client must not be able to store other text there.
    public static func storable(_ reported: [String]) -> [String] {
        transports.filter { transport in reported.contains { $0.isExactly(transport) } }
    }

    /// The name of a passkey whose user gave none: that of its password manager, if it is a well-known one.
    public static func defaultName(aaguid: String) -> String { managers[aaguid] ?? "Passkey" }

    /// Password managers by AAGUID. Nothing proves an AAGUID, so the names are only for users to tell passkeys apart.
    private static let managers = [
        "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4": "Google Password Manager",
        "fbfc3007-154e-4ecc-8c0b-6e020557d7bd": "iCloud Keychain",
        "dd4ec289-e01d-41c9-bb89-70fa845d4bf2": "iCloud Keychain",
        "08987058-cadc-4b81-b6e1-30de50dcbe96": "Windows Hello",
        "9ddd1817-af5a-4672-a2b9-3e3dd95000a9": "Windows Hello",
        "6028b017-b1d4-4c02-b4b3-afcdafc96bb2": "Windows Hello",
        "bada5566-a7aa-401f-bd96-45619a55120d": "1Password",
        "d548826e-79b4-db40-a3d8-11116f7e8349": "Bitwarden",
        "531126d6-e717-415c-9320-3d9aa6981239": "Dashlane",
        "53414d53-554e-4700-0000-000000000000": "Samsung Pass",
        "50726f74-6f6e-5061-7373-50726f746f6e": "Proton Pass",
    ]
}

extension Account {
    public func passkey(_ id: ID<Passkey>) -> Passkey? { passkeys.first { $0.id == id } }

    /// The passkeys that an authenticator has for the account under one user handle.
    public struct PasskeyGroup: Hashable, Sendable {
        public let rpID: String
        public let userHandle: String
        public let passkeys: [ID<Passkey>]
    }

    /// The passkeys by RP ID and user handle, in the order in which they were added. Password managers are told which
    /// of the passkeys that they have are still accepted.
    public var passkeyGroups: [PasskeyGroup] {
        var groups: [PasskeyGroup] = []
        for passkey in passkeys
        where !groups.contains(where: { $0.rpID == passkey.rpID && $0.userHandle == passkey.userHandle }) {
            let members = passkeys.filter { $0.rpID == passkey.rpID && $0.userHandle == passkey.userHandle }
            groups.append(
                PasskeyGroup(rpID: passkey.rpID, userHandle: passkey.userHandle, passkeys: members.map(\.id)))
        }
        return groups
    }

    /// The ``passkeyGroups``, and an empty group for each user handle whose last passkey the account has lost.
    ///
    /// - Parameter former: the account before a change.
    public func passkeyGroups(after former: Account) -> [PasskeyGroup] {
        let groups = passkeyGroups
        let emptied = former.passkeyGroups.filter { group in
            !groups.contains { $0.rpID == group.rpID && $0.userHandle == group.userHandle }
        }
        return groups + emptied.map { PasskeyGroup(rpID: $0.rpID, userHandle: $0.userHandle, passkeys: []) }
    }
}

/// A passkey to be stored, with its public key.
public struct NewPasskey: Hashable, Sendable {
    public let passkey: Passkey
    /// A COSE key.
    public let publicKey: [UInt8]
    /// The number of the COSE algorithm.
    public let algorithm: Int
    public let signCount: Int64
    public let isBackupEligible: Bool

    public init(passkey: Passkey, publicKey: [UInt8], algorithm: Int, signCount: Int64, isBackupEligible: Bool) {
        self.passkey = passkey
        self.publicKey = publicKey
        self.algorithm = algorithm
        self.signCount = signCount
        self.isBackupEligible = isBackupEligible
    }
}
