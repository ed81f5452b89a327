/// In what Apple's answers have differed over the years, or from one device to another. Begins with today's.
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
    /// An issuer that tokens name instead of the one there should be, as happened once.
    public var issuer: String?
    /// How a refresh is refused after the person has disconnected the client: both have been seen.
    public var refusalAfterDisconnecting = AppleRefusal.Code.invalidGrant
    /// `events` of a notification as an object, and seconds in it, as Apple's page prints them.
    public var eventsAreAnObject = false

    public init() {}
}
