public import Crypto
internal import Encoding
internal import FoundationEssentials
public import Identity
internal import JSON

extension PhoneCodeSecrets {
    /// Creates codes for telephone numbers, hashes them under a key that is derived from the master key, and encrypts
    /// messages under the master key.
    public static func live(under masterKeys: MasterKeys) -> PhoneCodeSecrets {
        let (keys, box) = (masterKeys.keys(for: "telephone codes"), SealedBox(keys: masterKeys))
        return PhoneCodeSecrets(
            newSessionInfo: { Base64URL.encode(Random.bytes(32)) },
            newCode: { Random.text(length: 6, alphabet: "0123456789") },
            hash: { Digest.sha256(Array($0.utf8)) },
            codeHashes: { code, binding in
                let message = Self.message(code, binding)
                return keys.map { HMAC.sha256(key: $0.bytes, message: message) }
            },
            areEqual: { constantTimeEquals($0, $1) },
            newMessageID: { ID(UUIDText.text(UUID())) },
            seal: { try box.seal(try StrictJSON.encode($0), context: Self.context(of: $1)) })
    }

    /// Returns a function that decrypts the content of a message.
    public static func opening(
        under masterKeys: MasterKeys
    ) -> @Sendable ([UInt8], ID<OutgoingSMS>) throws -> SMSContent {
        let box = SealedBox(keys: masterKeys)
        return { sealed, id in
            try StrictJSON.decode(SMSContent.self, from: try box.open(sealed, context: Self.context(of: id)))
        }
    }

    /// The context that the ciphertext of a message is bound to: its table, row and column.
    public static func context(of message: ID<OutgoingSMS>) -> String { "outgoing_sms/\(message)/content" }

    /// The length prefixes make the message unambiguous.
    private static func message(_ code: String, _ binding: PhoneCode.Binding) -> [UInt8] {
        let account = binding.account
        let parts: [[UInt8]] =
            [binding.hash]
            + [
                binding.realm.rawValue, binding.number.rawValue, binding.purpose.rawValue,
                account?.account.rawValue ?? "", account.map { "\($0.generation)" } ?? "",
                account?.factor?.rawValue ?? "", code,
            ].map { Array($0.utf8) }
        return parts.flatMap { Array("\($0.count):".utf8) + $0 }
    }
}
