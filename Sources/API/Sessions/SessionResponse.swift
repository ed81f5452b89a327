internal import Identity

/// A response to a request that opens a session: the operation's own members, and the session's tokens. No other type
/// has the members of the tokens, except the response of ``Endpoint/refreshTokens``, which has the names of RFC 6749.
struct SessionResponse<Members: Encodable>: Encodable {
    private let members: Members
    private let signedIn: SignedIn?
    private let lifetimeFormat: LifetimeFormat

    /// The format of `expiresIn`, in seconds.
    enum LifetimeFormat {
        /// In Firebase's operations.
        case text
        /// In Sekisho's own operations.
        case number
    }

    /// - Parameter signedIn: `nil` if the request opened no session. The response then has no tokens.
    init(_ members: Members, _ signedIn: SignedIn?, lifetimeFormat: LifetimeFormat = .text) {
        self.members = members
        self.signedIn = signedIn
        self.lifetimeFormat = lifetimeFormat
    }

    private enum CodingKeys: CodingKey {
        case idToken, refreshToken, expiresIn, secondFactorEnrollmentRequired
    }

    func encode(to encoder: any Encoder) throws {
        try members.encode(to: encoder)
        guard let signedIn else { return }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(signedIn.idToken, forKey: .idToken)
        try container.encode(signedIn.refreshToken, forKey: .refreshToken)
        if signedIn.isRestricted { try container.encode(true, forKey: .secondFactorEnrollmentRequired) }
        switch lifetimeFormat {
        case .text: try container.encode(signedIn.expiresInSeconds, forKey: .expiresIn)
        case .number: try container.encode(signedIn.expiresIn.components.seconds, forKey: .expiresIn)
        }
    }
}

extension SignedIn {
    /// The lifetime of the ID token in seconds, as text, because 64-bit integers are text on the wire.
    var expiresInSeconds: String { String(expiresIn.components.seconds) }
}
