/// The code that an app received from Apple beside the identity token. It is valid once, for five minutes.
public struct AuthorizationCode: Sendable {
    /// In bytes.
    public static let lengthLimit = 2048
    /// Shorter than Apple's five minutes, because the app spent some of them.
    public static let lifetime: Duration = .seconds(285)

    public let code: Secret
    /// The redirect URI of the web flow; `nil` for a native app.
    public let redirectURI: String?

    public init(code: Secret, redirectURI: String? = nil) {
        self.code = code
        self.redirectURI = redirectURI
    }

    /// PostgreSQL's text has no NUL.
    public static func canHave(redirectURI: String) -> Bool {
        redirectURI.utf8.count <= lengthLimit && !redirectURI.utf8.contains(0)
    }
}

/// A code, or the refresh token that it was exchanged for, before it is stored as an ``AppleGrant``. It is part of the
/// verified identity that came with it, also within pending tokens and merge tokens.
public struct SealedCode: Hashable, Codable, Sendable {
    /// The ID of the grant that the code becomes.
    public let id: ID<AppleGrant>
    public let subject: String
    public let clientID: String
    /// Encrypted, bound to ``id``.
    public let code: [UInt8]
    public let redirectURI: String?
    /// For a refresh token: when no sign-in can use it any more.
    public let expiresAt: Instant
    /// ``AppleGrant/TokenType/refreshToken`` after a sign-in in the browser, where the gateway itself exchanged the code.
    public let tokenType: AppleGrant.TokenType

    public init(
        id: ID<AppleGrant>, subject: String, clientID: String, code: [UInt8], redirectURI: String?, expiresAt: Instant,
        tokenType: AppleGrant.TokenType = .code
    ) {
        self.id = id
        self.subject = subject
        self.clientID = clientID
        self.code = code
        self.redirectURI = redirectURI
        self.expiresAt = expiresAt
        self.tokenType = tokenType
    }
}

/// Encrypts Apple tokens, each bound to the ID of its grant.
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
}

extension Verifier {
    /// Verifies as before, and hands the authorization code of an Apple credential on with the identity, encrypted.
    public func keepingCodes(_ sealing: AppleGrantSealing, clock: WallClock) -> Verifier {
        var verifier = self
        verifier.verify = { [verify] credential, app, project in
            var identity = try await verify(credential, app, project)
            guard identity.provider == .apple, let code = credential.authorizationCode else { return identity }
            let id = sealing.newID()
            identity.code = SealedCode(
                id: id, subject: identity.subject, clientID: identity.audience,
                code: try sealing.seal(code.code, id), redirectURI: code.redirectURI,
                expiresAt: clock.now() + AuthorizationCode.lifetime)
            return identity
        }
        return verifier
    }
}
