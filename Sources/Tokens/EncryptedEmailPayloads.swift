public import Crypto
internal import Encoding
internal import FoundationEssentials
public import Identity
internal import JSON

/// Encrypts the payloads of queued emails under the master key. A ciphertext is bound to the ID of its email, so it
/// cannot be used in another row.
public struct EncryptedEmailPayloads: Sendable {
    private let box: SealedBox

    public init(masterKeys: MasterKeys) {
        box = SealedBox(keys: masterKeys)
    }

    public func seal(_ payload: EmailPayload, for email: ID<OutgoingEmail>) throws -> [UInt8] {
        try box.seal(try StrictJSON.encode(payload), context: Self.context(of: email))
    }

    public func open(_ sealed: [UInt8], of email: ID<OutgoingEmail>) throws -> EmailPayload {
        try StrictJSON.decode(EmailPayload.self, from: try box.open(sealed, context: Self.context(of: email)))
    }

    /// The context that the ciphertext of a payload is bound to: its table, row and column.
    public static func context(of email: ID<OutgoingEmail>) -> String { "outgoing_email/\(email)/content" }
}

extension EmailFactory {
    /// Creates email action codes and email IDs, and encrypts the payloads of emails under the master key.
    ///
    /// - Parameters:
    ///   - actionBase: returns the URL, without query, that the links in emails open.
    ///   - appLinkBase: returns the URL that a link begins with if an app opens it; see ``AppLink``.
    public static func live(
        under masterKeys: MasterKeys, actionBase: @escaping @Sendable (Realm, ActionLink.Mode) -> String,
        appLinkBase: @escaping @Sendable (AppLink.Request, Realm) -> String?, sendsEmail: Bool
    ) -> EmailFactory {
        let payloads = EncryptedEmailPayloads(masterKeys: masterKeys)
        return EmailFactory(
            newCode: { Base64URL.encode(Random.bytes(32)) },
            hash: { Digest.sha256(Array($0.utf8)) },
            emailID: { ID(UUIDText.text(UUID())) },
            seal: { try payloads.seal($0, for: $1) }, actionBase: actionBase, appLinkBase: appLinkBase,
            sendsEmail: sendsEmail)
    }
}
