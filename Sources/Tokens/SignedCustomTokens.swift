public import Crypto
public import Identity
internal import JOSE

/// The public half of a service key.
public struct BackendKey: Sendable {
    public let project: ID<Project>
    public let publicKey: PublicKey
    /// Its scopes allow it.
    public let mayMint: Bool
    /// Is called for every genuine token.
    public let noteUse: @Sendable () -> Void

    public init(
        project: ID<Project>, publicKey: PublicKey, mayMint: Bool, noteUse: @escaping @Sendable () -> Void
    ) {
        self.project = project
        self.publicKey = publicKey
        self.mayMint = mayMint
        self.noteUse = noteUse
    }
}

extension CustomTokens {
    /// Those that a service key of the project has signed, and no others (RFC 8725 §3).
    ///
    /// The token's `kid` is the service key's id; one without `kid` has that id in `iss` and `sub`.
    ///
    /// - Parameter key: finds a key that works by its id; one of the given project, if there is such.
    public static func signed(
        by key: @escaping @Sendable (_ id: String, ID<Project>) async throws -> BackendKey?, clock: WallClock
    ) -> CustomTokens {
        CustomTokens { token, project in
            let unverified = try unverified(token)
            guard let id = unverified.keyID ?? unverified.unverifiedIssuer, canBeKeyID(id),
                let key = try await key(id, project.id)
            else { throw CustomTokenRefusal.invalid(.unknownKey) }
            let payload = try CustomTokenPayload(try believed(unverified, by: key.publicKey))
            guard key.project == project.id else { throw CustomTokenRefusal.otherProject }
            guard key.mayMint else { throw CustomTokenRefusal.invalid(.keyMayNotMint) }
            key.noteUse()
            try payload.requireAudience()
            try payload.requireOneIssuer()
            try payload.requireTimely(at: clock.now())
            try payload.requireTenant(project.tenant)
            return try payload.claim()
        }
    }

    private static func unverified(_ token: String) throws(CustomTokenRefusal) -> UnverifiedJWS {
        do {
            return try UnverifiedJWS(parsing: token)
        } catch {
            throw .invalid(error == .algorithmNotAllowed ? .algorithmNotAllowed : .malformed)
        }
    }

    private static func believed(
        _ token: UnverifiedJWS, by key: PublicKey
    ) throws(CustomTokenRefusal) -> [UInt8] {
        do {
            return try token.payload(verifiedWith: key)
        } catch {
            throw .invalid(error == .keyDoesNotFit ? .algorithmNotAllowed : .signatureInvalid)
        }
    }

    /// Spares the database what no id looks like.
    private static func canBeKeyID(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count) && id.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
