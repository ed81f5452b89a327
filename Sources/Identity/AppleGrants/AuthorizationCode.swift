/// An authorization code that an app received from a provider: from Apple together with the identity token, or a server
/// auth code (see ``ServerAuthCodes``). It can be exchanged once, Apple's within five minutes.
public struct AuthorizationCode: Sendable {
    /// The maximum length of a code and of a redirect URI in bytes.
    public static let lengthLimit = 2048
    /// How long the gateway uses a code of Apple that it has received. Shorter than Apple's five minutes, because some
    /// time passes before the app sends the code.
    public static let lifetime: Duration = .seconds(285)

    public let code: Secret
    /// The redirect URI of the web flow; `nil` for a native app.
    public let redirectURI: String?

    public init(code: Secret, redirectURI: String? = nil) {
        self.code = code
        self.redirectURI = redirectURI
    }

    var hasValidLength: Bool { (1...Self.lengthLimit).contains(code.expose().utf8.count) }

    /// Whether the gateway can store the code with its redirect URI.
    var isStorable: Bool { hasValidLength && Self.isValid(redirectURI: redirectURI ?? "") }

    /// Whether a redirect URI can be stored: PostgreSQL's text cannot contain NUL.
    public static func isValid(redirectURI: String) -> Bool {
        redirectURI.utf8.count <= lengthLimit && !redirectURI.utf8.contains(0)
    }
}

/// An encrypted authorization code of Apple, or the encrypted refresh token that the gateway exchanged it for. Verified
/// identities, pending tokens and merge tokens contain it. The gateway stores a code as an ``AppleGrant`` when a
/// sign-in uses the identity. It stores a refresh token at once, in the state ``AppleGrant/State/redeeming``.
public struct SealedAppleToken: Hashable, Codable, Sendable {
    /// The ID of its grant.
    public let id: ID<AppleGrant>
    public let subject: String
    public let clientID: String
    /// The code or the refresh token, encrypted and bound to ``id``.
    public let ciphertext: [UInt8]
    public let redirectURI: String?
    /// When the code expires. For a refresh token: when no sign-in can use it any more.
    public let expiresAt: Instant
    /// ``AppleGrant/TokenType/refreshToken`` after a sign-in in the browser, where the gateway itself exchanged the
    /// code.
    public let tokenType: AppleGrant.TokenType

    public init(
        id: ID<AppleGrant>, subject: String, clientID: String, ciphertext: [UInt8], redirectURI: String?,
        expiresAt: Instant, tokenType: AppleGrant.TokenType = .code
    ) {
        self.id = id
        self.subject = subject
        self.clientID = clientID
        self.ciphertext = ciphertext
        self.redirectURI = redirectURI
        self.expiresAt = expiresAt
        self.tokenType = tokenType
    }
}

/// Encrypts and decrypts Apple's codes and tokens. Each is bound to the ID of its grant.
public struct AppleGrantSealing: Sendable {
    public var newID: @Sendable () -> ID<AppleGrant>
    public var seal: @Sendable (_ token: Secret, _ id: ID<AppleGrant>) throws -> [UInt8]
    public var open: @Sendable (_ sealed: [UInt8], _ id: ID<AppleGrant>) throws -> Secret

    public init(
        newID: @escaping @Sendable () -> ID<AppleGrant>,
        seal: @escaping @Sendable (Secret, ID<AppleGrant>) throws -> [UInt8],
        open: @escaping @Sendable ([UInt8], ID<AppleGrant>) throws -> Secret
    ) {
        self.newID = newID
        self.seal = seal
        self.open = open
    }

    /// - Returns: `nil` if the token cannot be decrypted.
    func token(of grant: AppleGrant) -> Secret? {
        do {
            return try open(grant.token, grant.id)
        } catch {
            return nil
        }
    }
}
