internal import Crypto
internal import Encoding
internal import JSON
internal import Synchronization

extension SimulatedGoogle {
    /// The time from `iat` to `exp`, in seconds.
    private static let lifetime: Int64 = 3600
    /// The time from `nbf` to `iat` in a token of Google One Tap, in seconds.
    private static let oneTapLead: Int64 = 300

    /// Returns the ID token of a sign-in, before it is signed.
    ///
    /// - Parameter accessToken: the access token whose hash the ID token contains.
    func idTokenDraft(for signIn: GoogleSignIn, flow: GoogleFlow, accessToken: String? = nil) -> TokenDraft {
        let (issuer, key) = state.withLock { ($0.issuer, $0.keys.current) }
        let now = clock()
        let person = signIn.person
        var claims: JSONObject = [
            "iss": .string(issuer), "azp": .string(signIn.authorizedParty), "aud": .string(signIn.clientID),
            "sub": .string(Self.subject(of: person)), "iat": .integer(now), "exp": .integer(now + Self.lifetime),
        ]
        if let email = person.email {
            claims["email"] = .string(email)
            claims["email_verified"] = .bool(person.emailIsVerified)
        }
        let name = [person.givenName, person.familyName].compactMap { $0 }.joined(separator: " ")
        let texts: [ByteText: String?] = [
            "name": name.isEmpty ? nil : name, "given_name": person.givenName, "family_name": person.familyName,
            "picture": person.pictureURL, "locale": person.locale, "hd": person.hostedDomain, "nonce": signIn.nonce,
        ]
        claims.merge(texts.compactMapValues { $0.map(JSONValue.string) }) { $1 }
        switch flow {
        case .signIn: claims["at_hash"] = accessToken.map(halfHash)
        case .oneTap:
            claims["nbf"] = .integer(now - Self.oneTapLead)
            claims["jti"] = .string(Hexadecimal.encode(Random.bytes(20)))
        }
        return TokenDraft(claims: claims, key: key, type: "JWT", headerBeginsWithKeyID: false)
    }
}
