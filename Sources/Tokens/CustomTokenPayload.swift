internal import Encoding
public import Identity
internal import JSON

/// The payload of a custom token, signed or (for `sekisho dev`) unsigned. The caller verifies the signature of a signed
/// token, and calls the checks that apply.
public struct CustomTokenPayload: Sendable {
    /// The tolerance for clock differences, in seconds.
    private static let leeway: Double = 60
    /// The maximum of `exp` minus `iat`, in seconds.
    private static let maximumLifetime: Double = 3600

    /// The claims that a backend copies when it puts the claims of an ID token into a custom token, as
    /// next-firebase-auth-edge does. They name the session and the actor of the other token, so they are dropped.
    private static let claimsOfOtherTokens: [ByteText] = ["sid", "act"]

    private let members: JSONObject

    /// - Throws: ``CustomTokenRefusal`` if `json` is not a JSON object.
    public init(_ json: [UInt8]) throws(CustomTokenRefusal) {
        do {
            members = try StrictJSON.decode(JSONObject.self, from: json)
        } catch {
            throw .invalid(.malformed)
        }
    }

    /// Requires the audience of custom tokens (RFC 8725 §3.9).
    public func requireAudience() throws(CustomTokenRefusal) {
        guard members["aud"] == .string(CustomTokens.audience) else { throw .invalid(.wrongAudience) }
    }

    /// Requires that `iss` and `sub` are equal, as in Firebase's custom tokens.
    func requireEqualIssuerAndSubject() throws(CustomTokenRefusal) {
        guard case .string(let issuer) = members["iss"], members["sub"] == .string(issuer) else {
            throw .invalid(.issuerIsNotSubject)
        }
    }

    /// Requires `iat` and `exp`, at most an hour apart, and that the token is valid at `now`. `nbf` is optional
    /// (RFC 7519 §4.1.4 to §4.1.6).
    func requireTimely(at now: Instant) throws(CustomTokenRefusal) {
        let now = Double(now.seconds)
        guard let issuedAt = number("iat"), let expiresAt = number("exp"),
            members["nbf"] == nil || number("nbf") != nil
        else { throw .invalid(.timesMissing) }
        guard max(issuedAt, number("nbf") ?? issuedAt) <= now + Self.leeway else { throw .invalid(.notYetValid) }
        guard expiresAt > now - Self.leeway else { throw .invalid(.expired) }
        guard expiresAt - issuedAt <= Self.maximumLifetime else { throw .invalid(.lifetimeTooLong) }
    }

    /// Requires that `tenant_id` names `tenant`, or is absent if `tenant` is `nil`.
    public func requireTenant(_ tenant: Tenant?) throws(CustomTokenRefusal) {
        let named = tenant.map { JSONValue.string($0.id.rawValue) }
        guard members["tenant_id"] ?? .null == named ?? .null else { throw .tenantMismatch }
    }

    /// Returns the account, the additional claims and the issue time of the token. The claims `sid` and `act` are
    /// dropped.
    ///
    /// - Throws: ``CustomTokenRefusal`` if the account ID is missing or not valid, or if the claims are invalid,
    ///   reserved or too large.
    public func contents() throws(CustomTokenRefusal) -> CustomTokenContents {
        guard case .string(let account) = members["uid"] ?? members["user_id"], !account.isEmpty else {
            throw .missingAccount
        }
        guard let id = ID<Account>(chosen: account) else { throw .invalid(.accountIDInvalid) }
        return CustomTokenContents(account: id, claims: try claims(), issuedAt: issuedAt)
    }

    /// The time in `iat`; `nil` if it is absent, or not a time from 1970 to 9999.
    private var issuedAt: Instant? {
        guard let seconds = number("iat"), (0...Double(Instant.latest.seconds)).contains(seconds) else { return nil }
        return Instant(seconds: Int64(seconds))
    }

    private func claims() throws(CustomTokenRefusal) -> Claims? {
        guard let value = members["claims"], value != .null else { return nil }
        guard case .object(var claims) = value else { throw .invalidClaims }
        for name in Self.claimsOfOtherTokens { claims[name] = nil }
        if let name = Claims.firstReserved(among: claims.keys) { throw .reservedClaim(name: name) }
        guard !claims.isEmpty else { return nil }
        let json: String
        do {
            json = try StrictJSON.text(claims)
        } catch {
            throw .invalidClaims
        }
        guard json.unicodeScalars.count <= Claims.lengthLimit else { throw .claimsTooLarge }
        return Claims(json: json)
    }

    private func number(_ name: ByteText) -> Double? {
        switch members[name] {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}
