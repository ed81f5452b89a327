public import Crypto
internal import FoundationEssentials
public import Identity
internal import JOSE
internal import JSON

/// What waits to be mailed, sealed under the master key: the content of a row of `mail` opens only in its own place.
public struct EncryptedEmailPayloads: Sendable {
    private let box: SealedBox

    public init(masterKeys: MasterKeys) {
        box = SealedBox(keys: masterKeys)
    }

    public func seal(_ content: EmailPayload, for letter: ID<OutgoingEmail>) throws -> [UInt8] {
        try box.seal(try StrictJSON.encode(content), context: Self.place(of: letter))
    }

    public func open(_ sealed: [UInt8], of letter: ID<OutgoingEmail>) throws -> EmailPayload {
        try StrictJSON.decode(EmailPayload.self, from: try box.open(sealed, context: Self.place(of: letter)))
    }

    /// - Returns: `nil` for what is sealed under the current master key already.
    public func rewrapped(_ sealed: [UInt8], of letter: ID<OutgoingEmail>) throws -> [UInt8]? {
        try box.resealed(sealed, context: Self.place(of: letter))
    }

    private static func place(of letter: ID<OutgoingEmail>) -> String { "mail/\(letter)/content" }
}

extension OutOfBand {
    public static func live(
        under masterKeys: MasterKeys, actionBase: @escaping @Sendable (Project, ActionLink.Mode) -> String,
        isSent: Bool
    ) -> OutOfBand {
        let letters = EncryptedEmailPayloads(masterKeys: masterKeys)
        return OutOfBand(
            newCode: { Base64URL.encode(Random.bytes(32)) },
            hash: { Digest.sha256(Array($0.utf8)) },
            letterID: { ID(withUnsafeBytes(of: UUID().uuid) { UUIDText.text($0) }) },
            seal: { try letters.seal($0, for: $1) }, actionBase: actionBase, isSent: isSent)
    }
}
