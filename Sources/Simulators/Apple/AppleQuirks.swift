/// Differences of Apple's responses over the years and between devices. The defaults are current.
public struct AppleQuirks: Hashable, Sendable {
    public enum RelayDomain: String, Sendable, CaseIterable {
        case privateRelay = "privaterelay.appleid.com"
        case privateICloud = "private.icloud.com"
    }

    /// `email_verified` and `is_private_email` as `"true"`: until 2023.
    public var booleansAreStrings = false
    /// Off: a relay address comes without `is_private_email`.
    public var marksPrivateEmail = true
    public var relayDomain = RelayDomain.privateRelay
    /// Off: the nonce is not echoed, as on old devices.
    public var supportsNonce = true
    /// From `iat` to `exp`, in seconds; 600 until August 2020.
    public var identityTokenLifetime: Int64 = 86_400
    /// A wrong issuer, which Apple's tokens once had.
    public var issuer: String?
    /// The error of a refresh after the person has disconnected the client. Both have been observed.
    public var refusalAfterDisconnecting = AppleRefusal.Code.invalidGrant
    /// Whether `events` of a notification is an object with seconds, as Apple documents it.
    public var eventsAreAnObject = false

    /// Off: the secret of a client without registered keys is accepted without a check of its signature.
    public var checksClientSecrets = true

    public init() {}
}
