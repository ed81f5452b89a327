internal import Encoding
public import Identity
internal import JSON

/// The claims that every ID token of the gateway must have; a token may have others. The token is signed or (for
/// `sekisho dev`) unsigned. The caller verifies the signature of a signed token.
public struct IDTokenPayload: Sendable, Decodable {
    private let iss: String
    private let aud: String
    private let sub: String
    private let sid: String
    private let exp: Int64
    private let firebase: Firebase

    private struct Firebase: Decodable {
        let tenant: String?
    }
}

extension IDTokenPayload {
    /// - Throws: ``TokenRefusal/invalidIDToken`` unless `json` is an object with the required claims.
    public init(_ json: [UInt8]) throws(TokenRefusal) {
        do {
            self = try StrictJSON.decode(Self.self, from: json)
        } catch {
            throw .invalidIDToken
        }
    }

    /// Requires the issuer and the audience of the project, the tenant of the realm, the ID of a session, and that the
    /// token has not expired at `now`.
    ///
    /// - Throws: ``TokenRefusal/otherTenant`` if only the tenant is wrong, otherwise ``TokenRefusal/invalidIDToken``.
    public func requireIssued(by issuers: Issuers, for realm: Realm, at now: Instant) throws(TokenRefusal) {
        guard iss == issuers.idTokenIssuer(of: realm.project.id),
            [false, true].contains(where: { aud == IDTokenClaims.audience(of: realm, isRestricted: $0) }),
            exp > now.seconds, UUIDText.bytes(sid) != nil
        else { throw .invalidIDToken }
        guard tenant == realm.tenant?.id else { throw .otherTenant }
    }

    public var contents: IDTokenContents {
        IDTokenContents(account: ID(sub), session: ID(sid), isRestricted: aud.utf8.contains(UInt8(ascii: "/")))
    }

    /// The tenant of the account; `nil` if the account belongs to no tenant.
    public var tenant: ID<Tenant>? { firebase.tenant.map { ID($0) } }

    /// The time in `exp`, in seconds since 1970.
    var expiresAt: Int64 { exp }
}
