/// Variations of Apple's responses over the years and between devices. The defaults are the current behaviour.
public struct AppleQuirks: Hashable, Sendable {
    public enum RelayDomain: String, Sendable, CaseIterable {
        case privateRelay = "privaterelay.appleid.com"
        case privateICloud = "private.icloud.com"
    }

    /// Whether `email_verified` and `is_private_email` are strings, for example `"true"`, as Apple sent until 2023.
    public var booleansAreStrings = false
    /// If `false`, tokens with a relay address lack `is_private_email`.
    public var marksPrivateEmail = true
    /// The domain of relay addresses.
    public var relayDomain = RelayDomain.privateRelay
    /// If `false`, tokens do not contain the nonce and state that nonces are not supported, as on old devices.
    public var supportsNonce = true
    /// The time from `iat` to `exp`, in seconds. It was 600 until August 2020.
    public var identityTokenLifetime: Int64 = 86_400
    /// A wrong issuer, which Apple's tokens had for some time; `nil` for the correct one.
    public var issuer: String?
    /// The error of a refresh after the person has disconnected the client. `invalid_grant` and `invalid_request` have
    /// been observed.
    public var refusalAfterDisconnecting = AppleRefusal.Code.invalidGrant
    /// Whether `events` of a notification is an object with the time in seconds, as Apple documents it. Otherwise it is
    /// JSON in a string, with the time in milliseconds.
    public var eventsAreAnObject = false

    /// If `false`, the secret of a client without registered keys is accepted without a check of its signature, and the
    /// token endpoints accept unregistered clients.
    public var checksClientSecrets = true

    public init() {}
}
