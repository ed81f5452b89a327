internal import Encoding

/// A secret with which the gateway signs its requests to an operator's server (Standard Webhooks). Its text is `whsec_`
/// and Base64.
public struct WebhookSecret: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    private static let prefix = "whsec_"
    /// The accepted lengths of the key in bytes, as Standard Webhooks states them.
    private static let lengths = 24...64

    let key: [UInt8]

    /// Reads the text of a secret.
    ///
    /// - Returns: `nil` unless the text is `whsec_` and 24 to 64 bytes in Base64.
    public init?(_ text: String) {
        let characters = Array(text.utf8)
        guard characters.count <= 128, characters.starts(with: Self.prefix.utf8),
            let key = Base64.decode(String(decoding: characters.dropFirst(Self.prefix.utf8.count), as: UTF8.self)),
            Self.lengths.contains(key.count)
        else { return nil }
        self.key = key
    }

    private init(key: [UInt8]) {
        self.key = key
    }

    /// Returns a new secret of 32 random bytes.
    public static func generate() -> WebhookSecret { WebhookSecret(key: Random.bytes(32)) }

    /// Returns the text that the operator's server is configured with.
    public func expose() -> String { Self.prefix + Base64.encode(key) }

    public var description: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The header fields by which the receiver of a request verifies its sender, content and age (Standard Webhooks).
public struct WebhookSignature: Sendable, Hashable {
    /// `webhook-id`: identifies the message. All attempts to deliver a message have the same value.
    public let id: String
    /// `webhook-timestamp`: the time of the attempt, in seconds since 1970.
    public let timestamp: String
    /// `webhook-signature`: one value for each secret, separated by spaces.
    public let signatures: String

    /// Signs a message.
    ///
    /// - Parameters:
    ///   - id: without a full stop, which separates the signed parts.
    ///   - time: seconds since 1970.
    ///   - secrets: several while they rotate, the new one first. The receiver accepts a message if one value is valid.
    public init(of body: [UInt8], id: String, at time: Int64, secrets: [WebhookSecret]) {
        self.id = id
        timestamp = "\(time)"
        let message = Array("\(id).\(time).".utf8) + body
        signatures =
            secrets.map { "v1," + Base64.encode(HMAC.sha256(key: $0.key, message: message)) }.joined(separator: " ")
    }

    /// The fields in the order in which a request has them.
    public var fields: [(name: String, value: String)] {
        [("webhook-id", id), ("webhook-timestamp", timestamp), ("webhook-signature", signatures)]
    }
}
