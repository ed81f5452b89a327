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
    /// A wrong issuer, as Apple's tokens had for some time; `nil` for the correct issuer.
    public var issuer: String?
    /// The error for a refresh token of a person who has disconnected the client. `invalid_grant` and `invalid_request`
    /// have been observed.
    public var refusalAfterDisconnecting = AppleRefusal.Code.invalidGrant
    /// If `true`, the claim `events` of a notification is an object with the time in seconds, as Apple documents it. If
    /// `false`, the claim is a string that contains JSON, with the time in milliseconds.
    public var eventsAreAnObject = false

    /// If `false`, the token endpoints accept unregistered clients, and check the signature of a client secret only if
    /// the client has registered keys.
    public var checksClientSecrets = true

    public init() {}
}
