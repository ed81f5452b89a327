internal import Encoding
internal import Identity

/// A passkey of an imported user, before validation. Bytes are base64 in either alphabet, with or without padding.
struct ImportedPasskey: Decodable, Sendable {
    let credentialId: String?
    let rpId: String?
    let userHandle: String?
    /// A COSE key.
    let publicKey: String?
    let algorithm: Int?
    let signCount: Int64?
    let backupEligible: Bool?
    let backedUp: Bool?
    let transports: [String]?
    let aaguid: String?
    let name: ProfileText?
    let createdAt: String?
    let lastUsedAt: String?
}

extension ImportedUser {
    /// What happens to the passkeys of imported users.
    public enum PasskeyTreatment: Sendable {
        /// - Parameters:
        ///   - rpID: the RP ID of the project; `nil` if it has none. Passkeys of other RP IDs are rejected, because
        ///     they could belong to users of another project.
        ///   - algorithm: returns the number of a key's algorithm; `nil` if the gateway does not support it for
        ///     passkeys.
        case stored(rpID: String?, algorithm: @Sendable (_ publicKey: [UInt8]) -> Int?)
        case dropped
    }

    /// Returns the passkeys to import; an empty list if passkeys are left out.
    ///
    /// - Parameter now: replaces a missing time of creation.
    func checkedPasskeys(
        treated treatment: PasskeyTreatment, createdAt now: Instant, _ changes: inout Set<Change>
    ) throws(Fault) -> [NewPasskey] {
        guard let passkeyInfo, !passkeyInfo.isEmpty else { return [] }
        guard case .stored(let rpID, let algorithm) = treatment else {
            changes.insert(.passkeysWereDropped)
            return []
        }
        guard passkeyInfo.count <= Passkey.limit else { throw .tooManyPasskeys }
        var passkeys: [NewPasskey] = []
        for input in passkeyInfo {
            guard let rpID, (input.rpId ?? "").isExactly(rpID) else { throw .passkeyOfOtherRPID(rpID: rpID) }
            passkeys.append(try input.checked(rpID, algorithm, createdAt: now, &changes))
        }
        guard Set(passkeys.map(\.passkey.id)).count == passkeys.count else { throw .passkeyIsRepeated }
        return passkeys
    }
}

extension ImportedPasskey {
    fileprivate func checked(
        _ rpID: String, _ algorithmOfKey: ([UInt8]) -> Int?, createdAt now: Instant,
        _ changes: inout Set<ImportedUser.Change>
    ) throws(ImportedUser.Fault) -> NewPasskey {
        // The limits of WebAuthn Level 3 §4 and §7.1.
        let id = try Self.bytes(self.credentialId, atMost: 1023, "credentialId")
        let handle = try Self.bytes(self.userHandle, atMost: 64, "userHandle")
        // Handles are stored as text, and PostgreSQL's text cannot contain NUL.
        guard let userHandle = String(validating: handle, as: UTF8.self), !handle.contains(0) else {
            throw .passkeyIsInvalid(member: "userHandle")
        }
        let publicKey = try Self.bytes(self.publicKey, atMost: 1024, "publicKey")
        guard let keyAlgorithm = algorithmOfKey(publicKey) else { throw .passkeyIsInvalid(member: "publicKey") }
        guard (algorithm ?? keyAlgorithm) == keyAlgorithm else { throw .passkeyIsInvalid(member: "algorithm") }
        let signCount = self.signCount ?? 0
        guard (0...Int64(UInt32.max)).contains(signCount) else { throw .passkeyIsInvalid(member: "signCount") }
        // There is no default, because a sign-in fails if the authenticator reports another value.
        guard let backupEligible else { throw .passkeyIsInvalid(member: "backupEligible") }
        let isBackedUp = backedUp ?? false
        guard backupEligible || !isBackedUp else { throw .passkeyIsInvalid(member: "backedUp") }
        guard let model = UUIDText.bytes(self.aaguid.nonEmpty ?? Self.unknownModel) else {
            throw .passkeyIsInvalid(member: "aaguid")
        }
        let aaguid = UUIDText.text(model)
        let name = (self.name?.importedName(&changes)).nonEmpty ?? Passkey.defaultName(aaguid: aaguid)
        // A time in the future would make the passkey the latest addition for every remedy.
        let created = min(try Self.time(createdAt, "createdAt") ?? now, now)
        let lastUsed = try Self.time(lastUsedAt, "lastUsedAt").map { min($0, now) }
        return NewPasskey(
            passkey: Passkey(
                id: ID(Base64URL.encode(id)), rpID: rpID, userHandle: userHandle, name: name, createdAt: created,
                addedAt: created, lastUsedAt: lastUsed, isBackedUp: isBackedUp,
                transports: Passkey.storable(transports ?? []), aaguid: aaguid),
            publicKey: publicKey, algorithm: keyAlgorithm, signCount: signCount, isBackupEligible: backupEligible)
    }

    /// The AAGUID of authenticators that do not reveal their model.
    private static let unknownModel = "00000000-0000-0000-0000-000000000000"

    private static func bytes(
        _ text: String?, atMost limit: Int, _ member: String
    ) throws(ImportedUser.Fault) -> [UInt8] {
        guard let bytes = text.nonEmpty.flatMap(Base64.decode), (1...limit).contains(bytes.count) else {
            throw .passkeyIsInvalid(member: member)
        }
        return bytes
    }

    private static func time(_ text: String?, _ member: String) throws(ImportedUser.Fault) -> Instant? {
        guard let text = text.nonEmpty else { return nil }
        guard let time = Instant(iso8601: text) else { throw .passkeyIsInvalid(member: member) }
        return time
    }
}
