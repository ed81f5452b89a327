internal import Crypto
internal import Encoding
internal import Identity
internal import JOSE
internal import JSON

/// Verifies the tokens of one provider (OpenID Connect Core 1.0 §3.1.3.7, RFC 8725). The properties are the rules that
/// differ between providers.
///
/// Nothing in a token decides where its keys come from: neither `iss` nor `jku`, `jwk`, `x5u` or `x5c`.
struct OIDCVerifier: Sendable {
    /// The tolerance for clocks that differ.
    static let leeway: Duration = .seconds(60)
    /// The valid lengths of `sub` in characters (OpenID Connect Core 1.0 §2).
    static let subjectLengths = 1...255

    let provider: ProviderID
    let keyCache: JWKSCache
    /// The address at which the provider publishes its keys.
    let keysAddress: DocumentAddress
    /// The accepted values of `iss`.
    let issuers: [String]
    /// The accepted audiences. If there are none, ``verify(_:at:)`` rejects every token.
    var audiences: [String] = []
    /// The accepted values of `azp`.
    var authorizedParties: [String] = []
    var algorithms: Set<SignatureAlgorithm> = [.rs256]
    /// Accepted values of `typ` besides those of ID tokens.
    var acceptedTypes: [String] = []
    /// Whether a token must have `kid`. If `false`, `kid` may be absent while the provider has only one key.
    var needsKeyID = true
    /// Whether a token must have `exp`.
    var needsExpiry = true

    /// Verifies a token in compact serialization.
    ///
    /// - Throws: ``ProviderRefusal``, or ``ProviderUnreachable`` if the keys of the provider are not available.
    func verify(_ compact: String, at now: Instant) async throws -> VerifiedToken {
        let payload = try await payload(of: compact)
        let claims = try IdentityTokenClaims(payload)
        try requireIssuer(claims)
        let audience = try audience(claims)
        try requireAuthorizedParty(claims)
        let expiresAt = try requireTimely(claims, at: now)
        return VerifiedToken(
            claims: claims, json: String(decoding: payload, as: UTF8.self), audience: audience, expiresAt: expiresAt)
    }

    /// Verifies only the header and the signature of a token, and returns its payload.
    func payload(of compact: String) async throws -> [UInt8] {
        do {
            let token = try UnverifiedJWS(parsing: compact)
            try requireHeader(of: token)
            let key = try await keyCache.key(for: token, at: keysAddress, of: provider)
            return try token.payload(verifiedWith: key)
        } catch let fault as JWSFault {
            throw ProviderRefusal.invalidToken(IdentityTokenFault(fault))
        }
    }

    private func requireHeader(of token: UnverifiedJWS) throws(ProviderRefusal) {
        // Tokens of other kinds have types such as `at+jwt` and `logout+jwt` (RFC 8725 §3.11).
        guard token.type.map({ !$0.contains("+") || acceptedTypes.containsExactly($0) }) != false else {
            throw .claim("typ")
        }
        guard algorithms.contains(token.algorithm) else { throw .invalidToken(.algorithmNotAllowed) }
        guard !needsKeyID || token.keyID?.isEmpty == false else { throw .invalidToken(.keyIDMissing) }
    }

    func requireIssuer(_ claims: IdentityTokenClaims) throws(ProviderRefusal) {
        guard let issuer = claims.text("iss") else { throw .claim("iss") }
        guard issuers.containsExactly(issuer) else {
            throw .invalidToken(.issuer(expected: issuers, seen: issuer))
        }
    }

    /// Checks the audiences. A token with several audiences is valid if all of them are accepted, or if one of them is
    /// accepted and `azp` is one of ``authorizedParties``.
    ///
    /// - Returns: the first accepted audience.
    private func audience(_ claims: IdentityTokenClaims) throws(ProviderRefusal) -> String {
        let seen = try claims.audiences()
        let accepted = seen.filter { !$0.isEmpty && audiences.containsExactly($0) }
        let isAuthorized = claims.text("azp").map(authorizedParties.containsExactly(_:)) ?? false
        guard let audience = accepted.first, accepted.count == seen.count || isAuthorized else {
            throw .invalidToken(.audience(expected: audiences, seen: seen))
        }
        return audience
    }

    private func requireAuthorizedParty(_ claims: IdentityTokenClaims) throws(ProviderRefusal) {
        guard let value = claims["azp"] else { return }
        guard case .string(let party) = value else { throw .claim("azp") }
        guard authorizedParties.containsExactly(party) else {
            throw .invalidToken(.authorizedParty(expected: authorizedParties, seen: party))
        }
    }

    /// Checks `exp`, `nbf` and `iat` (RFC 7519 §4.1.4 to §4.1.6).
    ///
    /// - Returns: the value of `exp`; `nil` if it is absent and not required.
    func requireTimely(_ claims: IdentityTokenClaims, at now: Instant) throws(ProviderRefusal) -> Instant? {
        let expiresAt = try claims.time("exp")
        guard expiresAt != nil || !needsExpiry else { throw .claim("exp") }
        guard let issuedAt = try claims.time("iat") else { throw .claim("iat") }
        if let expiresAt, now >= expiresAt + Self.leeway { throw .invalidToken(.expired(at: expiresAt)) }
        let validFrom = max(issuedAt, try claims.time("nbf") ?? issuedAt)
        guard validFrom <= now + Self.leeway else { throw .invalidToken(.notYetValid(until: validFrom)) }
        return expiresAt
    }

    static func subject(_ claims: IdentityTokenClaims) throws(ProviderRefusal) -> String {
        guard let subject = claims.text("sub"), isValidSubject(subject) else { throw .claim("sub") }
        return subject
    }

    static func isValidSubject(_ text: String) -> Bool {
        subjectLengths.contains(text.unicodeScalars.count)
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

/// A token with verified signature, issuer, audience, authorized party and times.
struct VerifiedToken: Sendable {
    let claims: IdentityTokenClaims
    /// The payload as it was received.
    let json: String
    let audience: String
    let expiresAt: Instant?
}

extension VerifiedToken {
    /// The subject of an identity token.
    ///
    /// - Throws: ``ProviderRefusal`` if `sub` is absent or invalid, or if the token is not an identity token. Logout
    ///   tokens and notifications have the same issuer and key, but contain `events` (RFC 8417 §2.2).
    func subject() throws(ProviderRefusal) -> String {
        let subject = try OIDCVerifier.subject(claims)
        guard claims["events"] == nil else { throw .claim("events") }
        return subject
    }
}

extension VerifiedToken {
    /// The valid lengths of a nonce, in bytes.
    static let nonceLengths = 1...1024

    /// Checks the nonce of a token of a provider that returns nonces unchanged. If the request has the nonce `raw`, the
    /// token must contain that nonce or its SHA-256. If only the token has a nonce, the nonce is ignored, because some
    /// SDKs add a nonce that the app does not know.
    func requireNonce(_ raw: String?) throws(ProviderRefusal) {
        guard let raw else { return }
        guard let claim = try nonce(forRequestNonce: raw) else { throw .nonce(.missingInToken) }
        try Self.requireMatch(of: claim, raw, acceptsUnhashed: true)
    }

    /// Returns the nonce of the token; `nil` if it has none.
    ///
    /// - Throws: also if the nonce of the request has an invalid length.
    func nonce(forRequestNonce raw: String?) throws(ProviderRefusal) -> String? {
        guard raw.map({ Self.nonceLengths.contains($0.utf8.count) }) ?? true else { throw .nonce(.invalidLength) }
        guard let value = claims["nonce"] else { return nil }
        guard case .string(let nonce) = value else { throw .claim("nonce") }
        return nonce
    }

    /// Requires that the nonce of a token is the SHA-256 of the request's nonce in lower-case hexadecimal or, if
    /// `acceptsUnhashed`, the request's nonce itself.
    static func requireMatch(of claim: String, _ raw: String, acceptsUnhashed: Bool) throws(ProviderRefusal) {
        let hash = Hexadecimal.encode(Digest.sha256(Array(raw.utf8)))
        guard isEqual(claim, hash) || acceptsUnhashed && isEqual(claim, raw) else {
            throw .nonce(.doesNotMatch(seen: isEqual(claim, raw) ? .unhashed : NonceFault.Form(of: claim)))
        }
    }

    private static func isEqual(_ claim: String, _ expected: String) -> Bool {
        constantTimeEquals(Array(claim.utf8), Array(expected.utf8))
    }
}

extension NonceFault.Form {
    /// The form of a nonce that is not the nonce of the request.
    fileprivate init(of claim: String) {
        let bytes = claim.utf8
        self =
            if bytes.count == 64, bytes.allSatisfy({ Hexadecimal.value(of: $0) != nil }) {
                .sha256Hex
            } else if bytes.count == 43, bytes.allSatisfy(Base64URL.contains) {
                .sha256Base64URL
            } else {
                .other
            }
    }
}

extension IdentityTokenFault {
    fileprivate init(_ fault: JWSFault) {
        self =
            switch fault {
            case .malformed: .malformed
            case .tooLong: .tooLong
            case .algorithmNotAllowed, .keyMismatch: .algorithmNotAllowed
            case .criticalHeader: .criticalHeader
            case .signatureInvalid: .signatureInvalid
            }
    }
}

/// The claims of an identity token.
///
/// Unknown members are ignored, and `null` counts as absent. If providers use different JSON types for the same claim,
/// all of these types are accepted.
struct IdentityTokenClaims: Sendable {
    /// Times from 1970 to the year 9999, in seconds.
    private static let times = 0...Double(Instant.latest.seconds)

    private let members: JSONObject

    init(_ payload: [UInt8]) throws(ProviderRefusal) {
        do {
            members = try StrictJSON.decode(JSONObject.self, from: payload)
        } catch {
            throw .invalidToken(.malformed)
        }
    }

    /// Claims that are already decoded, such as those of an event in a token.
    init(_ members: JSONObject) {
        self.members = members
    }

    subscript(_ name: ByteText) -> JSONValue? {
        let value = members[name]
        return value == .null ? nil : value
    }

    /// - Returns: `nil` unless the member is a string that is not empty.
    func text(_ name: ByteText) -> String? {
        guard case .string(let text) = members[name], !text.isEmpty else { return nil }
        return text
    }

    /// Accepts `true` and `"true"`, because providers have sent both.
    func isTrue(_ name: ByteText) -> Bool { members[name] == .bool(true) || text(name)?.isExactly("true") == true }

    func isFalse(_ name: ByteText) -> Bool { members[name] == .bool(false) || text(name)?.isExactly("false") == true }

    /// - Returns: `nil` unless the member is an integer.
    func integer(_ name: ByteText) -> Int64? {
        guard case .integer(let number) = members[name] else { return nil }
        return number
    }

    /// Returns a time (NumericDate, RFC 7519 §2), rounded down to the second.
    ///
    /// - Returns: `nil` if the member is absent.
    func time(_ name: ByteText) throws(ProviderRefusal) -> Instant? {
        guard let value = self[name] else { return nil }
        guard let seconds = value.double, Self.times.contains(seconds) else { throw .claim(name.rawValue) }
        return Instant(seconds: Int64(seconds))
    }

    /// Returns the values of `aud`, which is a string or a list of strings (RFC 7519 §4.1.3).
    func audiences() throws(ProviderRefusal) -> [String] {
        switch self["aud"] {
        case .string(let one): return [one]
        case .array(let values):
            var several: [String] = []
            for value in values {
                guard case .string(let text) = value else { throw .claim("aud") }
                several.append(text)
            }
            return several
        default: throw .claim("aud")
        }
    }
}

extension JSONValue {
    var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}

extension ProviderRefusal {
    /// Returns the refusal of a token whose claim `name` is absent or invalid.
    static func claim(_ name: String) -> ProviderRefusal { .invalidToken(.claim(name)) }
}
