public import Crypto
internal import Encoding
public import Identity
internal import JOSE

/// The public half of a service key (a backend's credential), which verifies custom tokens.
public struct PublicServiceKey: Sendable {
    public let project: ID<Project>
    public let publicKey: PublicKey
    /// Whether the scopes of the key allow the backend to mint custom tokens.
    public let mayMint: Bool
    /// Called for every token with a valid signature, if the key belongs to the project and ``mayMint`` is true.
    public let recordUse: @Sendable () -> Void

    public init(
        project: ID<Project>, publicKey: PublicKey, mayMint: Bool, recordUse: @escaping @Sendable () -> Void
    ) {
        self.project = project
        self.publicKey = publicKey
        self.mayMint = mayMint
        self.recordUse = recordUse
    }
}

extension CustomTokens {
    /// Accepts only tokens that a service key of the project has signed (RFC 8725 §3).
    ///
    /// The `kid` of a token is the ID of the service key. A token without `kid` has that ID in `iss` and `sub`.
    ///
    /// - Parameter key: finds a key by its ID, preferably one of the given project; `nil` if the key does not exist, is
    ///   revoked or has expired.
    public static func signed(
        by key: @escaping @Sendable (_ id: String, ID<Project>) async throws -> PublicServiceKey?, clock: WallClock
    ) -> CustomTokens {
        CustomTokens { token, realm in
            let unverified = try unverified(token)
            guard let id = unverified.keyID ?? unverified.unverifiedIssuer, isValidKeyID(id),
                let key = try await key(id, realm.project.id)
            else { throw CustomTokenRefusal.invalid(.unknownKey) }
            let payload = try CustomTokenPayload(try verify(unverified, by: key.publicKey))
            guard key.project == realm.project.id else { throw CustomTokenRefusal.otherProject }
            guard key.mayMint else { throw CustomTokenRefusal.invalid(.keyMayNotMint) }
            key.recordUse()
            try payload.requireAudience()
            try payload.requireEqualIssuerAndSubject()
            try payload.requireTimely(at: clock.now())
            try payload.requireTenant(realm.tenant)
            return try payload.contents()
        }
    }

    private static func unverified(_ token: String) throws(CustomTokenRefusal) -> UnverifiedJWS {
        do {
            return try UnverifiedJWS(parsing: token)
        } catch {
            throw .invalid(
                error == .algorithmNotAllowed ? .algorithmNotAllowed : isUnsigned(token) ? .unsigned : .malformed)
        }
    }

    /// Whether the token is a JWT, apart from its signature, which is empty.
    private static func isUnsigned(_ token: String) -> Bool {
        let parts = Array(token.utf8).split(
            separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        return parts.count == 3 && parts[2].isEmpty
            && parts[..<2].allSatisfy { !$0.isEmpty && Base64URL.decode($0) != nil }
    }

    private static func verify(
        _ token: UnverifiedJWS, by key: PublicKey
    ) throws(CustomTokenRefusal) -> [UInt8] {
        do {
            return try token.payload(verifiedWith: key)
        } catch {
            throw .invalid(error == .keyMismatch ? .algorithmNotAllowed : .signatureInvalid)
        }
    }

    /// Whether `id` has the form of a key ID. Other texts are rejected before the database is queried.
    private static func isValidKeyID(_ id: String) -> Bool { id.isVisibleASCII(1...64) }
}
